import { NotFoundError } from '../../errors.ts';
import type { EntityRow } from '../../store/entities.ts';

/** decisions.md, G1: what the 404 of a deleted entity says. */
export function gone(row: EntityRow | undefined): NotFoundError {
  const { cid, ver, updated_at } = row ?? {};
  return new NotFoundError(undefined, { deleted: true, tip: cid, ver, deleted_at: updated_at });
}
