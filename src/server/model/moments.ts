const withoutZone = /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?$/;

/**
 * When a text of somebody else's says (ISO 8601), in ms since 1970; NaN for what is no time. Without a zone it is in UTC, as every time
 * of the interface: what it means, such as until when a membership lasts, must not hang on where a node runs.
 */
export function momentOf(text: string): number {
  return Date.parse(withoutZone.test(text) ? `${text.replace(' ', 'T')}Z` : text);
}
