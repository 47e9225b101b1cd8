import type { Ref } from 'react';
import { Input } from '../../components/field.tsx';
import { pressedKey } from '../../components/pressed-key.ts';
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
    <Input
      ref={ref}
      type="search"
      maxLength={500}
      value={typed}
      onChange={({ target }) => setTyped(target.value)}
      onKeyDown={(event) => ['Enter', 'Escape'].includes(pressedKey(event) ?? '') && event.currentTarget.blur()}
      placeholder={t('list.filter')}
      aria-label={t('list.filter')}
      className="w-52"
    />
  );
}
