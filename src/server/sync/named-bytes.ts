import { isContentCid } from '../blocks/cid.ts';
import { entriesOf } from '../model/content-entries.ts';
import type { Json, Manifest } from '../model/manifest.ts';
import { servedType } from '../model/media-type.ts';

/** File bytes that a version names, as far as they can be asked for by their CID. */
export interface NamedBytes {
  id: string;
  cid: string;
  /** Where they stand in `properties.content`; null for a file's own. */
  key: string | null;
  type: string;
  filename: string | null;
  /** As the version says; null where it does not. */
  size: number | null;
}

/** All that a version names, each CID once; a deleted one names nothing. */
export function namedBytes(manifest: Pick<Manifest, 'id' | 'type' | 'properties'>): NamedBytes[] {
  const { id, type, properties } = manifest;
  const found: NamedBytes[] = [];
  const own = properties.cid;
  if (type === 'file' && typeof own === 'string') found.push({ id, key: null, ...described(own, properties) });
  for (const [key, entry] of entriesOf(manifest)) found.push({ id, key, ...described(entry.cid, entry) });
  const valid = found.filter(({ cid }) => isContentCid(cid));
  return [...new Map(valid.toReversed().map((it) => [it.cid, it])).values()].reverse();
}

function described(cid: string, { content_type, filename, size }: Record<string, Json | undefined>) {
  return {
    cid,
    type: servedType(content_type),
    filename: typeof filename === 'string' ? filename : null,
    size: typeof size === 'number' ? size : null,
  };
}
