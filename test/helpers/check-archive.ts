import type { Archive } from '../../src/server/blocks/archive-reader.ts';
import { type Known, walkArchive } from '../../src/server/blocks/archive-walk.ts';

/** What a whole archive brings. */
export interface ArchiveSummary {
  entities: number;
  versions: number;
  content: number;
  /** Entities whose history starts at a later version than 1, and whose earlier ones the receiver does not have. */
  partial: number;
}

/** Walks a whole archive for its errors (see walkArchive) and answers what it brings. */
export async function checkArchive(archive: Archive, known?: Known): Promise<ArchiveSummary> {
  const sum: ArchiveSummary = { entities: 0, versions: 0, content: 0, partial: 0 };
  for await (const { versions, base, baseKnown, content } of walkArchive(archive, known)) {
    sum.entities++;
    sum.versions += versions.length;
    sum.content += content.length;
    if (base !== null && !baseKnown) sum.partial++;
  }
  return sum;
}
