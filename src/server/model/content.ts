import type { Json, Manifest } from './manifest.ts';

/**
 * The CIDs of the file bytes that a version names: a file's `properties.cid`, and `properties.content[key].cid` of any
 * entity (wire-contract.md, 2.1 and 4.4). As they stand there: any text, in no order, some perhaps twice.
 */
export function contentCids({ type, properties }: Manifest): string[] {
  const found: (Json | undefined)[] = type === 'file' ? [properties.cid] : [];
  const { content } = properties;
  if (isMap(content)) for (const entry of Object.values(content)) if (isMap(entry)) found.push(entry.cid);
  return found.filter((cid) => typeof cid === 'string');
}

function isMap(value: Json | undefined): value is { [name: string]: Json } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
