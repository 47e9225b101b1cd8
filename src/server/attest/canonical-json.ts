/**
 * The one text of a flat JSON object of strings, integers and nulls (RFC 8785): members in the order of their names, no
 * space. What is hashed and signed is its UTF-8.
 */
export function canonicalJson(value: { readonly [name: string]: string | number | null }): Uint8Array {
  const sorted = Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
  return Buffer.from(JSON.stringify(sorted));
}
