import { Failure } from '../../api/failure.ts';
import { bringBack, manifestOf } from '../entity/bring-back.ts';
import { contentOf, sameContent } from '../entity/model/content.ts';
import { writeUpdates } from '../entity/write-updates.ts';
import type { Version } from './history-queries.ts';

/** A version that is to be restored, and the one that was the newest when that was asked for. */
export interface Restoring {
  version: Version;
  tip: string;
}

/**
 * Makes a new version that says what an old one said, and gives its number. Nothing is made of a deletion, nor over another tip than
 * the one that was seen; what an earlier try has made, whose answer was lost, is gone on from. @throws Failure
 */
export async function restoreVersion(id: string, { version, tip }: Restoring, note: string): Promise<number> {
  const { deleted, ...said } = await manifestOf(version.cid);
  // It says nothing, so that everything would be taken away, and the entity be there still.
  if (deleted) throw new Failure('invalid', `version ${version.ver} is a deletion`);
  const wanted = contentOf(said);
  try {
    const base = (await manifestOf(tip)).deleted ? await bringBack(id, tip) : tip;
    const before = await manifestOf(base);
    const now = contentOf(before);
    if (base !== tip && sameContent(now, wanted)) return before.ver;
    // What it led to was there when it was written, and may be deleted by now.
    return (await writeUpdates(id, base, { base: now, next: wanted }, note, () => true)).ver;
  } catch (error) {
    const actual = error instanceof Failure ? error.actual : null;
    const now = actual === null ? null : await manifestOf(actual);
    if (!now || now.deleted || !sameContent(contentOf(now), wanted)) throw error;
    return now.ver;
  }
}
