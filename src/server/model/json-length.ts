/** About as many bytes as a value has as JSON, added to `before`; it looks no further than `most`. */
export function jsonLength(value: unknown, before = 0, most = Number.POSITIVE_INFINITY): number {
  if (typeof value === 'string') return before + 2 + Buffer.byteLength(value);
  if (typeof value !== 'object' || value === null) return before + 4;
  let size = before + 2;
  for (const key in value) {
    if (!Array.isArray(value)) size += Buffer.byteLength(key) + 3;
    size = jsonLength((value as Record<string, unknown>)[key], size + 1, most);
    if (size > most) break;
  }
  return size;
}
