const plain = /^[\x20-\x7e]*$/;

/**
 * Texts that differ in case alone, or in how their characters are composed, fold to one: `STRASSE` and `Straße`, both
 * forms of `é`, each sigma.
 */
export function folded(text: string): string {
  if (plain.test(text)) return text.toLowerCase();
  const upper = text.normalize('NFD').toLowerCase().toUpperCase();
  return upper.toLowerCase().replaceAll('ς', 'σ').normalize('NFC');
}

/** So many characters of a label are indexed. */
const indexedCharacters = 500;

/** What a label is found by. */
export function labelKey(label: string): string {
  return folded(label.slice(0, indexedCharacters).toWellFormed());
}
