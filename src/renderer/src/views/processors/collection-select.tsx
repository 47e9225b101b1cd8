import { useQuery } from '@tanstack/react-query';
import { Field, Select } from '../../components/field.tsx';
import { useTexts } from '../../messages/texts.tsx';
import { collectionsQuery } from '../collections/collections-query.ts';

/** One of the node's collections. */
export function CollectionSelect({
  label,
  hint,
  value,
  onChange,
}: {
  label: string;
  hint?: string;
  value: string | undefined;
  onChange(id: string): void;
}) {
  const { t } = useTexts();
  const { data } = useQuery(collectionsQuery);
  const all = data?.collections ?? [];
  return (
    <Field label={label} hint={data && all.length === 0 ? t('collections.none') : hint}>
      {(ids) => (
        <Select {...ids} required value={value ?? ''} onChange={({ target }) => onChange(target.value)}>
          {value === undefined && <option value="">{t('collection.choose')}</option>}
          {all.map(({ id, label: name }) => (
            <option key={id} value={id}>
              {name ?? id}
            </option>
          ))}
        </Select>
      )}
    </Field>
  );
}
