import type { Piece } from '../history/word-diff.ts';

const marks = {
  old: { Mark: 'del', look: 'bg-danger-soft line-through' },
  new: { Mark: 'ins', look: 'bg-accent-soft font-medium underline underline-offset-2' },
} as const;

/** A text in pieces: what was taken away is struck through, what was added underlined. */
export function ChangedText({ pieces }: { pieces: readonly Piece[] }) {
  return (
    <bdi className="break-words whitespace-pre-wrap">
      {pieces.map(({ text, side }, i) => {
        if (side === 'both') return text;
        const { Mark, look } = marks[side];
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: a piece of a text has no other name
          <Mark key={i} className={`rounded-xs ${look}`}>
            {visible(text)}
          </Mark>
        );
      })}
    </bdi>
  );
}

/** The ends of lines by signs of theirs, where nothing else is to be seen. */
function visible(text: string): string {
  return text.trim() === '' ? text.replaceAll('\r', '␍').replaceAll('\n', '␊\n') : text;
}
