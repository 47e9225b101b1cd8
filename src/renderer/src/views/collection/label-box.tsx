import { type Ref, useEffect, useRef, useState } from 'react';
import { Input } from '../../components/field.tsx';
import { pressedKey } from '../../components/pressed-key.ts';
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
  const [typed, setTyped] = useState(part);
  // What comes back of what was sent is no reason to take away what was typed since.
  const sent = useRef(part);
  useEffect(() => {
    if (part !== sent.current) setTyped(part);
    sent.current = part;
  }, [part]);
  useEffect(() => {
    if (typed === part) return;
    const timer = setTimeout(() => {
      sent.current = typed;
      onChange(typed);
    }, 250);
    return () => clearTimeout(timer);
  });
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
