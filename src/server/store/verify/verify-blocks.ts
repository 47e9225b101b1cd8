import { cidBytes, cidText } from '../../blocks/cid.ts';
import type { FileStore } from '../../blocks/file-store.ts';
import { type ManifestHead, manifestHead } from '../../blocks/manifest-head.ts';
import { verifyBinary } from '../../blocks/verify.ts';
import { blockKey, findableBlocks } from '../block-keys.ts';
import { blockBytes } from '../blocks.ts';
import type { Connection, Reader } from '../connection.ts';
import { contentOfBlock } from '../content/block-content.ts';
import { holds } from '../content/content-holders.ts';
import type { Progress } from '../progress.ts';
import { type Findings, pageMs } from './verify-findings.ts';

interface BlockFacts {
  key: number;
  cid: Uint8Array;
  entity: number;
  ver: number;
  size: number;
  id: string | null;
  missing: Uint8Array | null;
}

const pageRows = 500;

/**
 * Every version: its bytes hash to its CID, it says the id and number that its row has, and the version before it is
 * here with a smaller number and the same entity, or its history is known to start with it. So every chain reaches its
 * start, without walking any. Bytes that a version names and no row does are brought back where they lie aside.
 */
export async function verifyBlocks(
  db: Connection,
  files: FileStore,
  findings: Findings,
  report: (progress: Progress) => void,
): Promise<void> {
  const total = blocksTotal(db);
  for (let after: number | null = 0; after !== null; ) {
    after = db.snapshot((reader) => blocksAfter(reader, after as number, files, findings));
    report({ step: 'versions', done: findings.counts.versions, total });
  }
  const [stored, findable] = db.snapshot((reader) => [blocksTotal(reader), findableBlocks(reader)]);
  if (stored !== findable)
    findings.problem('block', `${findable} versions can be sought by a CID, and ${stored} are here.`);
  verifyStarts(db, findings);
}

function blocksTotal(db: Reader): number {
  return db.get<{ n: number }>('SELECT count(*) AS n FROM block')?.n ?? 0;
}

/** That histories which are not known from version 1 on start where it is said, and lack what comes before. */
function verifyStarts(db: Reader, findings: Findings): void {
  const starts = db.each<{ entity: number; missing: Uint8Array; here: number }>(
    `SELECT entity, missing, EXISTS (SELECT 1 FROM block b WHERE b.key = p.block AND b.entity = p.entity) AS here
       FROM partial p ORDER BY entity`,
  );
  let total = 0;
  let wrong = 0;
  let last: number | null = null;
  for (const { entity, missing, here } of starts) {
    // Versions that came apart from each other each start a history of their entity.
    if (entity !== last) total++;
    last = entity;
    if (here === 0 || blockKey(db, missing) !== undefined) wrong++;
  }
  if (wrong > 0) findings.problem('chain', `${wrong} records of where a history starts are wrong.`);
  if (total > 0) findings.remark(`The history of ${total} entities does not go back to version 1.`);
}

/** Gives the last key that was looked at, null where there are no more. */
function blocksAfter(db: Reader, after: number, files: FileStore, findings: Findings): number | null {
  const until = performance.now() + pageMs;
  const rows = db.all<BlockFacts>(
    `SELECT b.key, b.cid, b.entity, b.ver, b.size, e.id, p.missing FROM block b LEFT JOIN entity e ON e.key = b.entity
       LEFT JOIN partial p ON p.block = b.key WHERE b.key > ? ORDER BY b.key LIMIT ?`,
    after,
    pageRows,
  );
  for (const row of rows) {
    verifyOne(db, row, files, findings);
    if (performance.now() > until) return row.key;
  }
  return rows.length < pageRows ? null : (rows.at(-1)?.key ?? null);
}

function verifyOne(db: Reader, row: BlockFacts, files: FileStore, findings: Findings): void {
  const wrong = (kind: string, message: string) =>
    findings.problem(kind, `Version ${cidText(row.cid)} ${message}.`, row.id ?? '');
  let bytes: Uint8Array;
  try {
    bytes = blockBytes(db, row.key);
  } catch (error) {
    wrong('block', `cannot be read (${(error as Error).message})`);
    return;
  }
  findings.counts.versions++;
  findings.counts.bytes += bytes.length;
  if (blockKey(db, row.cid) !== row.key) wrong('block', 'is not found by its CID');
  if (bytes.length !== row.size) wrong('block', `is stored with the size ${row.size}, not ${bytes.length}`);
  if (verifyBinary(row.cid, bytes) === 'mismatch') {
    wrong('block', 'is stored with other bytes');
    return;
  }
  for (const named of contentOfBlock(bytes)) {
    if (holds(db, row.entity, named)) continue;
    // The node took the bytes for unwanted, and this look brings them back.
    files.has(named);
    wrong('content', `names the content ${named}, which no row says`);
  }
  let head: ManifestHead;
  try {
    head = manifestHead(bytes);
  } catch (error) {
    wrong('block', `is no manifest (${(error as Error).message})`);
    return;
  }
  if (head.id !== row.id) wrong('block', `is of ${head.id} and stands under another entity`);
  if (head.ver !== row.ver) wrong('block', `is number ${head.ver} and stored as ${row.ver}`);
  if (head.prev === null) return;
  const previous = blockKey(db, cidBytes(head.prev));
  const before =
    previous !== undefined &&
    db.get<{ entity: number; ver: number }>('SELECT entity, ver FROM block WHERE key = ?', previous);
  if (before) {
    if (before.entity !== row.entity || before.ver >= head.ver)
      wrong('chain', 'follows a version that it cannot follow');
  } else if (row.missing === null || cidText(row.missing) !== head.prev)
    wrong('chain', `lacks the version before it, ${head.prev}`);
}
