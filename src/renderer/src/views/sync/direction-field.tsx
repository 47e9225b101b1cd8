import { Field, Select } from '../../components/field.tsx';
import { useTexts } from '../../messages/texts.tsx';

export type Direction = 'both' | 'pull' | 'push';

interface DirectionFieldProps {
  value: Direction | '';
  /** What choosing none is called. */
  usual: string;
  onChange(direction: Direction | ''): void;
}

/** Whether a remote is pulled from, pushed to, or both. */
export function DirectionField({ value, usual, onChange }: DirectionFieldProps) {
  const { t } = useTexts();
  return (
    <Field label={t('sync.direction')}>
      {(ids) => (
        <Select {...ids} value={value} onChange={({ target }) => onChange(target.value as Direction | '')}>
          <option value="">{usual}</option>
          <option value="both">{t('sync.direction.both')}</option>
          <option value="pull">{t('sync.direction.pull')}</option>
          <option value="push">{t('sync.direction.push')}</option>
        </Select>
      )}
    </Field>
  );
}
