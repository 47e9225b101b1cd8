import type { EditedBy, EditMethod, JsonObject, Manifest, Relationship } from './manifest.ts';
import { isMap } from './objects.ts';

/**
 * A version with what it says of itself in the known shapes, for reading: other programs may have written anything there
 * (decisions.md: what is stored is parsed leniently). Who wrote it is `''` where it does not say so in text, and `manual`
 * where it does not say how; a note or reason that is no text is none, and so is a deletion that is not `true`. What the
 * entity says, its relationships too, stays as it is, since the next version is made of it.
 */
export function lenientManifest(manifest: Manifest): Manifest {
  if (isUsual(manifest)) return manifest;
  const { edited_by, note, reason, deleted, ...rest } = manifest;
  return {
    ...rest,
    edited_by: authorOf(edited_by),
    ...(typeof note === 'string' && { note }),
    ...(typeof reason === 'string' && { reason }),
    ...(deleted === true && { deleted }),
  };
}

function isUsual({ edited_by, note, reason, deleted }: Manifest): boolean {
  const isTold = isTextOrNone(note) && isTextOrNone(reason) && (deleted === undefined || deleted === true);
  return isTold && isAuthor(edited_by);
}

function isAuthor(value: EditedBy): boolean {
  if (!isMap(value) || typeof value.user_id !== 'string' || typeof value.method !== 'string') return false;
  for (const name in value) if (typeof value[name as keyof EditedBy] !== 'string') return false;
  return true;
}

function authorOf(value: unknown): EditedBy {
  const texts = isMap(value) ? Object.entries(value).filter(([, member]) => typeof member === 'string') : [];
  return { user_id: '', method: 'manual' satisfies EditMethod, ...Object.fromEntries(texts) };
}

/** A relationship with its copies of the peer and what it says of itself in the known shapes; those of others are left out. */
export function lenientRelationship({
  predicate,
  peer,
  peer_type,
  peer_label,
  properties,
}: Relationship): Relationship {
  return {
    predicate,
    peer,
    ...(typeof peer_type === 'string' && { peer_type }),
    ...(typeof peer_label === 'string' && { peer_label }),
    ...(isMap(properties) && { properties: properties as JsonObject }),
  };
}

function isTextOrNone(value: unknown): boolean {
  return value === undefined || typeof value === 'string';
}
