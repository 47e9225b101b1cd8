import { markedWords } from './marked-words.ts';

/** A text, its words that were sought marked. */
export function Marked({ text, sought }: { text: string; sought: readonly string[] }) {
  if (sought.length === 0) return text;
  return markedWords(text, sought).map((piece, i) =>
    piece.hit ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: a piece of a text has no other name
      <mark key={i} className="rounded-xs bg-marked text-ink">
        {piece.text}
      </mark>
    ) : (
      piece.text
    ),
  );
}
