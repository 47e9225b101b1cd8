import { useQuery } from '@tanstack/react-query';
import { Field } from '../../components/field.tsx';
import { useTexts } from '../../messages/texts.tsx';
import { CollectionChoice } from '../collections/collection-choice.tsx';
import { collectionsFound } from '../collections/collections-query.ts';

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
  const { data } = useQuery(collectionsFound(''));
  return (
    <Field label={label} hint={data?.total === 0 ? t('collections.none') : hint}>
      {(ids) => <CollectionChoice ids={ids} label={label} value={value ?? ''} onChange={onChange} />}
    </Field>
  );
}
