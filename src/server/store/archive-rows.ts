import { cidBytes } from '../blocks/cid.ts';
import type { Block } from '../blocks/encode.ts';
import { manifestHead } from '../blocks/manifest-head.ts';
import { putBlock } from './blocks.ts';
import type { Writer } from './connection.ts';
import { ensureEntityKey } from './entity-keys.ts';

/** What an import of an archive keeps, in the commit that it belongs to. */
export type ArchiveRow =
  /** Verified versions of an entity that are kept without moving its tip, oldest first. */
  | { kind: 'versions'; id: string; blocks: Block[] }
  /** An archive's tip that does not descend from ours, or that it follows; `theirs` null: there is no such fork any more. */
  | { kind: 'car_conflict'; id: string; ours: string; theirs: string | null };

/** Conflicts that an archive brought stand under this remote. */
const archiveRemote = 0;

export function applyArchiveRow(db: Writer, row: ArchiveRow, time: number): void {
  switch (row.kind) {
    case 'versions': {
      const entity = ensureEntityKey(db, row.id);
      let previous: number | null = null;
      for (const { cid, bytes } of row.blocks)
        previous = putBlock(db, { cid: cidBytes(cid), bytes }, entity, manifestHead(bytes).ver, previous);
      return;
    }
    case 'car_conflict': {
      const entity = ensureEntityKey(db, row.id);
      db.run('DELETE FROM sync_conflict WHERE remote = ? AND entity = ?', archiveRemote, entity);
      if (row.theirs !== null)
        db.run(
          'INSERT INTO sync_conflict (remote, entity, base, ours, theirs, time) VALUES (?, ?, NULL, ?, ?, ?)',
          archiveRemote,
          entity,
          row.ours,
          row.theirs,
          time,
        );
    }
  }
}
