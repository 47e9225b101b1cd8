import { Field, Input } from '../../components/field.tsx';
import { useTexts } from '../../messages/texts.tsx';

interface LabelFieldProps {
  value: string;
  onChange(value: string): void;
  fault: string | undefined;
}

/** What a processor is called. */
export function LabelField({ value, onChange, fault }: LabelFieldProps) {
  const { t } = useTexts();
  return (
    <Field label={t('column.label')} error={fault}>
      {(ids) => <Input {...ids} required dir="auto" value={value} onChange={({ target }) => onChange(target.value)} />}
    </Field>
  );
}
