/** Whether a text has more than `max` characters, as JSON Schema counts them: code points. */
export function isLonger(text: string, max: number): boolean {
  return text.length > max && (text.length > 2 * max || codePoints(text) > max);
}

/** Whether it has fewer than `min`. */
export function isShorter(text: string, min: number): boolean {
  return text.length < min || (text.length < 2 * min && codePoints(text) < min);
}

function codePoints(text: string): number {
  return [...text].length;
}
