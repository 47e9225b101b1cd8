import type { Ref } from 'react';
import { FilterBox } from '../../components/filter-box.tsx';
import { useTypedAddress } from '../../components/use-typed-address.ts';
import { useTexts } from '../../messages/texts.tsx';

/** A part of the label that rows have to have; it counts a moment after the last key. */
export function LabelBox({
  part,
  onChange,
  ref,
}: {
  part: string;
  onChange(part: string): void;
  ref: Ref<HTMLInputElement>;
}) {
  const { t } = useTexts();
  // A part may begin or end with a blank.
  const [typed, setTyped] = useTypedAddress(part, (next = '') => onChange(next), true);
  return (
    <FilterBox ref={ref} maxLength={500} value={typed} onType={setTyped} label={t('list.filter')} className="w-52" />
  );
}
