import { type Piece, wordDiff } from '../../history/word-diff.ts';
import { differsUnseen, type Json, looksLike, textOf } from './json.ts';
import type { Difference } from './three-way.ts';

/** The texts of a place that differs, in pieces; null where nothing is there. */
export interface Changes {
  base: Piece[] | null;
  /** With what it added as `new`, and as `old` what it took away with nothing in its place: it is to be read easily. */
  mine: Piece[] | null;
  theirs: Piece[] | null;
  /** Two of them are of other kinds and look the same. */
  alike: boolean;
  /** Two of them differ in what is not seen. */
  unseen: boolean;
}

/** What both sides made of a place: of what was there, or, where nothing was, beside one another. */
export function changesOf({ base, mine, theirs }: Pick<Difference, 'base' | 'mine' | 'theirs'>): Changes {
  const values = [base, mine, theirs].filter((one): one is Json => one !== undefined);
  const some = (is: (one: Json, other: Json) => boolean) =>
    values.some((one, i) => values.slice(i + 1).some((other) => is(one, other)));
  const looks = { alike: some(looksLike), unseen: some(differsUnseen) };
  if (base === undefined) return { ...besideOneAnother(mine, theirs), ...looks };
  const old = textOf(base);
  const [my, their] = [mine, theirs].map((one) => (one === undefined ? null : wordDiff(old, textOf(one))));
  const pieces = brokenUp(old, [my ?? [], their ?? []]);
  const changed = (diff: Piece[] | null | undefined) =>
    diff?.every(({ side }) => side === 'both') ? pieces : (diff?.filter((_, i) => !isReplaced(diff, i)) ?? null);
  return { base: pieces, mine: changed(my), theirs: changed(their), ...looks };
}

/** Whether a piece was taken away and has another one in its place. */
function isReplaced(diff: Piece[], at: number): boolean {
  return diff[at]?.side === 'old' && (diff[at - 1]?.side === 'new' || diff[at + 1]?.side === 'new');
}

function besideOneAnother(mine: Json | undefined, theirs: Json | undefined): Omit<Changes, 'alike' | 'unseen'> {
  if (mine === undefined || theirs === undefined) {
    const alone = (one: Json | undefined): Piece[] | null => (one === undefined ? null : [both(textOf(one))]);
    return { base: null, mine: alone(mine), theirs: alone(theirs) };
  }
  const diff = wordDiff(textOf(mine), textOf(theirs));
  const of = (side: 'old' | 'new') =>
    diff
      .filter((piece) => piece.side === 'both' || piece.side === side)
      .map((piece): Piece => (piece.side === 'both' ? piece : { ...piece, side: 'new' }));
  return { base: null, mine: of('old'), theirs: of('new') };
}

/** A text in pieces that end wherever one of its changes begins or ends. */
function brokenUp(text: string, diffs: Piece[][]): Piece[] {
  const breaks = new Set<number>();
  for (const diff of diffs) {
    let at = 0;
    for (const { text: piece, side } of diff) {
      breaks.add(at);
      if (side !== 'new') at += piece.length;
    }
  }
  const places = [...breaks, text.length].toSorted((a, b) => a - b);
  return places.map((place, i) => both(text.slice(places[i - 1] ?? 0, place))).filter((piece) => piece.text !== '');
}

function both(text: string): Piece {
  return { text, side: 'both' };
}

/** So much is shown beside a change, and so much of what is long. */
const near = 60;
const most = 600;

/** The pieces with what is far from every change left out, and the middle of what is long itself. */
export function excerpt(pieces: readonly Piece[]): Piece[] {
  const last = pieces.length - 1;
  return pieces.map((piece, i) => {
    const { text, side } = piece;
    const isAlone = side !== 'both' || last === 0;
    const head = isAlone ? most : i > 0 ? near : 0;
    const tail = isAlone || i < last ? near : 0;
    if (text.length <= head + tail + near) return piece;
    return { side, text: [text.slice(0, head), '…', text.slice(text.length - tail)].filter(Boolean).join(' ') };
  });
}
