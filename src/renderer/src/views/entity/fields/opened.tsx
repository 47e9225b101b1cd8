import { type ReactNode, useMemo, useState } from 'react';
import { Button } from '../../../components/button.tsx';
import { useTexts } from '../../../messages/texts.tsx';
import type { Json } from '../model/json.ts';

/** Laying out a longer text takes seconds, so it is opened by hand. */
const quick = 50_000;
const beginning = 2000;

/** The field of a text, or of a value as JSON; of a very long one only its beginning, until somebody wants to edit it. */
export function Opened({ value, children }: { value: Json; children: ReactNode }) {
  const { t, number } = useTexts();
  const [opened, setOpened] = useState(() => typedAs(value).length <= quick);
  const text = useMemo(() => (opened ? '' : typedAs(value)), [opened, value]);
  if (opened) return children;
  return (
    <div className="space-y-1">
      <p className="line-clamp-4 rounded-md border border-line bg-sunken px-2 py-1 break-words">
        <bdi>{text.slice(0, beginning)}…</bdi>
      </p>
      <Button small onClick={() => setOpened(true)}>
        {t('field.open', { count: text.length, number: number(text.length) })}
      </Button>
    </div>
  );
}

function typedAs(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value, null, 2);
}
