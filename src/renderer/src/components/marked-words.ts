/** A piece of a text; `hit` where it is what was sought. */
export interface MarkedPiece {
  text: string;
  hit: boolean;
}

const word = /[\p{L}\p{N}]+/gu;

/** Letters that are often written as others: those that the node's search takes for them. */
const forms: Record<string, string> = {
  ...{ ς: 'σ', ß: 'ss', æ: 'ae', œ: 'oe', ø: 'o', ł: 'l' },
  ...{ ı: 'i', đ: 'd', ð: 'd', þ: 'th' },
};
const formed = /[ςßæœøłıđðþ]/gu;

/** Letters without case, accents and forms, as they are compared. */
export function folded(text: string): string {
  return text
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase()
    .replace(formed, (form) => forms[form] ?? form);
}

/** The words of what is sought that are marked: all of two letters or more. */
export function soughtWords(sought: string): string[] {
  const found = [...sought.slice(0, 500).matchAll(word)].map(([one]) => folded(one));
  return [...new Set(found)].filter((one) => one.length > 1);
}

/**
 * A text in pieces, its words that fit what is sought apart: those that begin like a sought word, and those that the
 * sought one is an inflection of (`ships` finds `ship`).
 */
export function markedWords(text: string, sought: readonly string[]): MarkedPiece[] {
  const fits = (one: string) => {
    const bare = folded(one);
    return sought.some((wanted) => bare.startsWith(wanted) || (bare.length > 2 && isInflected(wanted, bare)));
  };
  const pieces: MarkedPiece[] = [];
  const add = (part: string, hit: boolean) => {
    if (part !== '') pieces.push({ text: part, hit });
  };
  let end = 0;
  for (const { 0: one, index } of text.matchAll(word)) {
    if (!fits(one)) continue;
    add(text.slice(end, index), false);
    add(one, true);
    end = index + one.length;
  }
  add(text.slice(end), false);
  return pieces;
}

/** At most two letters more, as endings have. */
function isInflected(wanted: string, bare: string): boolean {
  return wanted.startsWith(bare) && wanted.length - bare.length <= 2;
}
