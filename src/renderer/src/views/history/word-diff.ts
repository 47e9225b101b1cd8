/** A piece of a text, in both versions or in one of them. */
export interface Piece {
  text: string;
  side: 'both' | 'old' | 'new';
}

/** Texts of more words are shown as one old and one new piece: comparing takes the product of both. */
const most = 2500;

/** How one text became another, word by word. */
export function wordDiff(before: string, after: string): Piece[] {
  const [old, now] = [words(before), words(after)];
  let start = 0;
  while (start < old.length && start < now.length && old[start] === now[start]) start++;
  let end = 0;
  while (end < Math.min(old.length, now.length) - start && old.at(-1 - end) === now.at(-1 - end)) end++;
  const [a, b] = [old.slice(start, old.length - end), now.slice(start, now.length - end)];
  const middle = a.length > most || b.length > most ? whole(a, b) : common(a, b);
  return joined([
    { text: old.slice(0, start).join(''), side: 'both' },
    ...middle,
    { text: old.slice(old.length - end).join(''), side: 'both' },
  ]);
}

function words(text: string): string[] {
  return text.match(/\s+|[\p{L}\p{N}\p{M}_]+|[^\s\p{L}\p{N}\p{M}_]/gu) ?? [];
}

function whole(a: string[], b: string[]): Piece[] {
  return [
    { text: a.join(''), side: 'old' },
    { text: b.join(''), side: 'new' },
  ];
}

/** Along the longest common subsequence. */
function common(a: string[], b: string[]): Piece[] {
  const width = b.length + 1;
  const lengths = new Uint16Array((a.length + 1) * width);
  for (let i = a.length - 1; i >= 0; i--)
    for (let j = b.length - 1; j >= 0; j--)
      lengths[i * width + j] =
        a[i] === b[j]
          ? lengths[(i + 1) * width + j + 1]! + 1
          : Math.max(lengths[(i + 1) * width + j]!, lengths[i * width + j + 1]!);
  const pieces: Piece[] = [];
  let [i, j] = [0, 0];
  while (i < a.length && j < b.length) {
    if (a[i] === b[j]) {
      pieces.push({ text: a[i]!, side: 'both' });
      i++;
      j++;
    } else if (lengths[(i + 1) * width + j]! >= lengths[i * width + j + 1]!)
      pieces.push({ text: a[i++]!, side: 'old' });
    else pieces.push({ text: b[j++]!, side: 'new' });
  }
  return [...pieces, ...whole(a.slice(i), b.slice(j))];
}

function joined(pieces: Piece[]): Piece[] {
  const result: Piece[] = [];
  for (const piece of pieces) {
    if (piece.text === '') continue;
    const last = result.at(-1);
    if (last?.side === piece.side) last.text += piece.text;
    else result.push({ ...piece });
  }
  return result;
}
