/**
 * A letter at the end of words, which SQLite's tokenizer writes as the one within, and letters that are often written as others; that
 * without its dot is in capitals the same as the one with it.
 */
const forms: Record<string, string> = {
  ...{ ς: 'σ', ß: 'ss', æ: 'ae', œ: 'oe', ø: 'o', ł: 'l' },
  ...{ ı: 'i', đ: 'd', ð: 'd', þ: 'th' },
};
const formed = /[ςßæœøłıđðþ]/gu;

/** A text as words and names are looked for: small letters without diacritics, and those that are often written as others so. */
export function plainLetters(text: string): string {
  const small = text.normalize('NFKD').replace(/\p{M}/gu, '').normalize('NFC').toLowerCase();
  return small.replace(formed, (form) => forms[form] ?? form);
}
