import { type ReactNode, useState } from 'react';
import { Button } from '../../../components/button.tsx';
import { useTexts } from '../../../messages/texts.tsx';

/** Laying out a longer text takes seconds, so it is opened by hand. */
const quick = 50_000;
const beginning = 2000;

/** The field of a text; of a very long one only its beginning, until somebody wants to edit it. */
export function Opened({ text, children }: { text: string; children: ReactNode }) {
  const { t, number } = useTexts();
  const [opened, setOpened] = useState(text.length <= quick);
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
