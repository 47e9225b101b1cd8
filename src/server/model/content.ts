import type { IssuePath } from '../errors.ts';
import type { Manifest } from './manifest.ts';
import { isObject } from './objects.ts';

/** wire-contract.md, 2.1 and 4.4: 500 MB, as the size of an upload-url has it. */
export const maxContentBytes = 524_288_000;

/** The CID of file bytes in a version, as it stands there (any text), and where. */
export interface NamedContent {
  cid: string;
  path: IssuePath;
}

/**
 * The file bytes that a version names: a file's `properties.cid`, and `properties.content[key].cid` of any entity
 * (wire-contract.md, 2.1 and 4.4). In no order, some perhaps twice.
 */
export function namedContents({ type, properties }: Pick<Manifest, 'type' | 'properties'>): NamedContent[] {
  const found: NamedContent[] = [];
  if (type === 'file' && typeof properties.cid === 'string')
    found.push({ cid: properties.cid, path: ['properties', 'cid'] });
  const { content } = properties;
  if (!isObject(content)) return found;
  for (const [key, entry] of Object.entries(content))
    if (isObject(entry) && typeof entry.cid === 'string')
      found.push({ cid: entry.cid, path: ['properties', 'content', key, 'cid'] });
  return found;
}

/** The CIDs alone. */
export function contentCids(manifest: Pick<Manifest, 'type' | 'properties'>): string[] {
  return namedContents(manifest).map(({ cid }) => cid);
}
