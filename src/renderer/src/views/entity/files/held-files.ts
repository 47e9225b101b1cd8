import type { Entity } from '../entity-queries.ts';
import { isMap, type JsonMap } from '../model/json.ts';

/** Bytes that an entity holds: a file's own, or under a key of `properties.content`. */
export interface HeldFile {
  /** null for a file's own. */
  key: string | null;
  cid: string;
  name: string;
  type: string;
  /** Undefined where the version does not say. */
  size: number | undefined;
}

export function heldFiles({ type, properties }: Pick<Entity, 'type' | 'properties'>): HeldFile[] {
  const map = properties as JsonMap;
  const own =
    type === 'file' && map.uploaded === true && typeof map.cid === 'string' ? [toFile(null, map, map.cid)] : [];
  const entries = isMap(map.content) ? Object.entries(map.content) : [];
  return [
    ...own,
    ...entries.flatMap(([key, entry]) =>
      isMap(entry) && typeof entry.cid === 'string' ? [toFile(key, entry, entry.cid)] : [],
    ),
  ];
}

/** Whether it was made for a file whose bytes are not here: they are on their way, or their sending was broken off. */
export function isAwaited({ type, properties }: Pick<Entity, 'type' | 'properties'>): boolean {
  return type === 'file' && (properties as JsonMap).uploaded === false;
}

function toFile(key: string | null, { filename, content_type, size }: JsonMap, cid: string): HeldFile {
  return {
    key,
    cid,
    name: typeof filename === 'string' && filename ? filename : (key ?? cid),
    type: typeof content_type === 'string' ? content_type.split(';')[0]!.trim().toLowerCase() : '',
    size: typeof size === 'number' ? size : undefined,
  };
}

/** As what bytes can be shown; null where they can only be taken away. */
export function previewOf({ type, size = 0 }: HeldFile): 'image' | 'audio' | 'video' | 'pdf' | 'text' | null {
  if (type.startsWith('text/') || /[/+](?:json|xml|yaml|csv)$/.test(type))
    return type === 'image/svg+xml' ? 'image' : 'text';
  if (size > 200_000_000) return null;
  if (type.startsWith('image/') && !/tiff|heic|heif|x-/.test(type)) return 'image';
  if (type.startsWith('audio/')) return 'audio';
  if (type.startsWith('video/')) return 'video';
  return type === 'application/pdf' ? 'pdf' : null;
}
