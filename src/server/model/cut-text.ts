/**
 * The beginning of a text, at most `most` UTF-16 units long: it ends between characters, and what is half a character
 * already is replaced, so that it can be stored (json-value.ts).
 */
export function beginningOf(text: string, most: number): string {
  return text.slice(0, splits(text, most) ? most - 1 : most).toWellFormed();
}

/** A text of at most `most` units, and of a longer one the beginning with an ellipsis, which counts. */
export function shortened(text: string, most: number): string {
  return text.length <= most ? text : `${beginningOf(text, most - 1)}…`;
}

/** The end of a text, likewise. */
export function endOf(text: string, most: number): string {
  const from = Math.max(0, text.length - most);
  return text.slice(splits(text, from) ? from + 1 : from).toWellFormed();
}

/** Whether a cut there goes through a character. */
function splits(text: string, at: number): boolean {
  return at > 0 && at < text.length && (text.codePointAt(at - 1) ?? 0) > 0xffff;
}
