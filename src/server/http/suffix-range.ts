/**
 * A `Range` header as `send` reads it right: to the package that it reads ranges with, a suffix longer than what there is
 * cannot be answered, while it is all that there is (RFC 9110, 14.1.2), as a reader of ZIP files asks for it: `bytes=-65557`.
 * `size` in bytes. Undefined where it is all of nothing, of which no range can be named.
 */
export function suffixFitted(range: string | undefined, size: number): string | undefined {
  const suffix = /^ *bytes= *-(\d+) *$/.exec(range ?? '')?.[1];
  if (suffix === undefined || Number(suffix) === 0 || Number(suffix) < size) return range;
  return size === 0 ? undefined : 'bytes=0-';
}
