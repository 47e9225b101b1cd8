/**
 * The one text of a flat JSON object of strings, integers and nulls (RFC 8785): members in the order of their names, no
 * space. What is hashed and signed is its UTF-8.
 */
export function canonicalJson(value: { readonly [name: string]: string | number | null }): Uint8Array {
  const names = Object.keys(value);
  const ordered = names.every((name, i) => i === 0 || (names[i - 1] as string) < name);
  return Buffer.from(JSON.stringify(value, ordered ? null : names.sort()));
}
