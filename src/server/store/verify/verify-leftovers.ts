import { labelKey } from '../../model/label-fold.ts';
import { sortedImports } from '../archive/spool.ts';
import type { Connection, Reader } from '../connection.ts';
import { strayLogs } from '../jobs/job-logs.ts';
import { archiveTasks } from '../tasks.ts';
import type { MoveLog } from './verify-entities.ts';
import type { Findings } from './verify-findings.ts';

const pageRows = 2000;

/** Rows that no entity accounts for: listings, labels, relationships, moves, sources of imports, logs of jobs. */
export async function verifyLeftovers(db: Connection, findings: Findings, moves: MoveLog): Promise<void> {
  let at: ListingPlace | null = { collection: -1, created_at: '', id: '' };
  while (at !== null) at = db.snapshot((reader) => listingsAfter(reader, at as ListingPlace, findings));
  let label: LabelPlace | null = { collection: -1, entity: 0 };
  while (label !== null) label = db.snapshot((reader) => labelsAfter(reader, label as LabelPlace, findings));
  for (const [entity] of moves.tips)
    if (!db.get('SELECT 1 FROM entity WHERE key = ?', entity))
      findings.problem('move', `Moves of an entity that is not here (${entity}).`);
  const strays = db.get<{ n: number }>(
    `SELECT count(*) AS n FROM (SELECT DISTINCT source FROM edge) d
      WHERE NOT EXISTS (SELECT 1 FROM entity e WHERE e.key = d.source)`,
  );
  if (strays && strays.n > 0) findings.problem('edge', `Relationships of ${strays.n} entities that are not here.`);
  const sources = db.get<{ n: number }>(
    `SELECT count(*) AS n FROM import_source s WHERE NOT EXISTS
       (SELECT 1 FROM block b WHERE b.key = s.tip AND b.entity = s.entity)`,
  );
  if (sources && sources.n > 0) findings.problem('entity', `${sources.n} sources of imports name no version.`);
  const logs = strayLogs(db);
  if (logs > 0) findings.problem('entity', `What is kept of ${logs} logs of jobs is of none that is here.`);
}

/** Imports of archives that have not ended, of a network's folder or of a backup's. */
export function verifyImports(
  db: Connection,
  { folder, backup }: { folder: string; backup: boolean },
  findings: Findings,
): void {
  const { goOn, lost } = sortedImports(db, folder);
  const starts = backup ? 'a node that is restored from this backup completes it at its start' : nextStart;
  if (goOn.length > 0) findings.remark(`An import of an archive is not complete; ${starts}.`);
  for (const { file, run } of lost)
    findings.remark(
      `An import of an archive (${run.name ?? file}) is not complete, and cannot be completed: its file is not ${backup ? 'in this backup' : 'here'}. What it had brought is there; import the archive again${backup ? ' after a restore' : ''}.`,
    );
  const gone = new Set(lost.map(({ file }) => file));
  for (const { file, run } of archiveTasks(db).left.filter((task) => !gone.has(task.file)))
    findings.remark(
      `An import of an archive (${run.name ?? file}) is left alone, since it ended the node at several starts. Import the archive again, with more memory where that was short. To be rid of this remark undo the import (POST /node/imports/${run.id}/undo); or, to keep what it had brought, delete spool/${file} in the folder of the network and start the node again.`,
    );
}

const nextStart =
  'the next start of the node completes it, where "archeion status" does not say that this one does now';

interface ListingPlace {
  collection: number;
  created_at: string;
  id: string;
}

const listed = `SELECT l.collection, l.created_at, l.id, e.id IS l.id AND e.deleted = 0 AND e.created_at IS l.created_at
    AND e.type IS l.type AND EXISTS (SELECT 1 FROM edge d JOIN predicate p ON p.key = d.predicate
      WHERE d.source = l.entity AND d.peer = l.collection AND p.name = 'collection') AS right
   FROM listing l LEFT JOIN entity e ON e.key = l.entity`;

/** Listings are in the order (collection, created_at descending, id): the rest of one collection, then the next one. */
function listingsAfter(db: Reader, at: ListingPlace, findings: Findings): ListingPlace | null {
  const { collection, created_at, id } = at;
  const rest = db.all<ListingPlace & { right: number }>(
    `${listed} WHERE l.collection = ? AND l.created_at <= ? AND (l.created_at < ? OR l.id > ?)
      ORDER BY l.created_at DESC, l.id LIMIT ?`,
    collection,
    created_at,
    created_at,
    id,
    pageRows,
  );
  const next = `${listed} WHERE l.collection > ? ORDER BY l.collection, l.created_at DESC, l.id LIMIT ?`;
  const rows = rest.length > 0 ? rest : db.all<ListingPlace & { right: number }>(next, collection, pageRows);
  for (const { id, right } of rows) {
    findings.counts.listings++;
    if (right !== 1) findings.problem('listing', `${id}: it is listed in a collection that it is not in.`, id);
  }
  return rows.at(-1) ?? null;
}

interface LabelPlace {
  collection: number;
  entity: number;
}

function labelsAfter(db: Reader, { collection, entity }: LabelPlace, findings: Findings): LabelPlace | null {
  const rows = db.all<LabelPlace & { folded: string; id: string | null; label: string | null; inside: number }>(
    `SELECT l.collection, l.entity, l.folded, e.id, e.label, EXISTS (SELECT 1 FROM edge d JOIN predicate p ON p.key = d.predicate
        WHERE d.source = l.entity AND d.peer = l.collection AND p.name = 'collection') AS inside
       FROM label l LEFT JOIN entity e ON e.key = l.entity
      WHERE (l.collection, l.entity) > (?, ?) ORDER BY l.collection, l.entity LIMIT ?`,
    collection,
    entity,
    pageRows,
  );
  for (const { id, label, inside, folded } of rows)
    if (inside !== 1 || labelKey(label ?? '') !== folded)
      findings.problem('listing', `${id}: it is found by a label that it has not.`, id ?? undefined);
  return rows.at(-1) ?? null;
}
