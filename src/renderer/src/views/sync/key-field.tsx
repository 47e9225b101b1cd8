import { Field, Input } from '../../components/field.tsx';
import { useTexts } from '../../messages/texts.tsx';

/** The key of a remote as it is typed; it is not shown. */
export function KeyField({ value, onChange }: { value: string; onChange(value: string): void }) {
  const { t } = useTexts();
  return (
    <Field label={t('sync.key')} hint={t('sync.keyAbout')}>
      {(ids) => (
        <Input
          {...ids}
          type="password"
          autoComplete="off"
          maxLength={500}
          value={value}
          onChange={({ target }) => onChange(target.value)}
        />
      )}
    </Field>
  );
}
