import { cidText } from '../../blocks/cid.ts';
import { decodeManifest } from '../../blocks/encode.ts';
import { isEntityId, networkOf } from '../../model/ids.ts';
import { labelKey } from '../../model/label-fold.ts';
import { collectionsOf, indexed, labelOf, type Manifest, relationshipKey } from '../../model/manifest.ts';
import { blockWithCid } from '../blocks.ts';
import type { Connection, Reader } from '../connection.ts';
import { isLogKept } from '../jobs/job-logs.ts';
import type { Progress } from '../progress.ts';
import { currentJson } from '../projection.ts';
import { lastLive } from '../versions.ts';
import { type Findings, pageMs } from './verify-findings.ts';

interface EntityFacts {
  key: number;
  id: string;
  tip: number | null;
  cid: string | null;
  type: string | null;
  label: string | null;
  ver: number | null;
  collection: string | null;
  deleted: number;
  created_at: string | null;
  updated_at: string | null;
  json: string | null;
}

/** A move with what the version that it leads to says of itself. */
interface MoveFacts {
  id: number;
  entity: number;
  old_tip: number | null;
  new_tip: number;
  pi: string;
  cid: string;
  ver: number;
  origin: string;
  owner: number | null;
  owner_pi: string | null;
  tip_cid: Uint8Array | null;
  tip_ver: number | null;
}

const pageRows = 200;

/** The newest tip of each entity as the moves tell it, in order. About 50 bytes an entity. */
export class MoveLog {
  readonly tips = new Map<number, number>();
  last = 0;
  readonly #origins = new Map<string, boolean>();

  /** Takes up the moves of a page; false where there are no more. */
  advance(db: Reader, findings: Findings, limit: number): boolean {
    const rows = db.all<MoveFacts>(
      `SELECT m.id, m.entity, m.old_tip, m.new_tip, m.pi, m.cid, m.ver, m.origin,
              b.entity AS owner, e.id AS owner_pi, b.cid AS tip_cid, b.ver AS tip_ver
         FROM moves m LEFT JOIN block b ON b.key = m.new_tip LEFT JOIN entity e ON e.key = m.entity
        WHERE m.id > ? ORDER BY m.id LIMIT ?`,
      this.last,
      limit,
    );
    for (const { id, entity, old_tip, new_tip, pi, cid, ver, origin, ...found } of rows) {
      findings.counts.moves++;
      if ((this.tips.get(entity) ?? null) !== old_tip)
        findings.problem('move', `Move ${id} does not begin where the one before it ended.`);
      if (found.owner !== entity) findings.problem('move', `Move ${id} leads to no version of its entity.`);
      else if (pi !== found.owner_pi || ver !== found.tip_ver || cid !== (found.tip_cid && cidText(found.tip_cid)))
        findings.problem('move', `Move ${id} names another version than the one that it leads to.`);
      if (!this.#isOrigin(db, origin))
        findings.problem('move', `Move ${id} says of itself to be by what there never was.`);
      this.tips.set(entity, new_tip);
      this.last = id;
    }
    return rows.length === limit;
  }

  #isOrigin(db: Reader, origin: string): boolean {
    const known = this.#origins.get(origin) ?? isOrigin(db, origin);
    this.#origins.set(origin, known);
    return known;
  }
}

/** Who pushed: the account, and the node as it names itself. */
const fromNode = /^from:([0-9A-Z]{26})\/./s;
const ofRemote = /^remote:([A-Za-z0-9][A-Za-z0-9._-]{0,49})$/;

/**
 * Whether something may have moved tips under this name. Of remotes that are no more only the log of syncs knows, as long as it
 * has its first entry still.
 */
function isOrigin(db: Reader, origin: string): boolean {
  if (['local', 'import', 'car'].includes(origin)) return true;
  const account = fromNode.exec(origin)?.[1];
  if (account !== undefined) return isEntityId(account);
  const name = ofRemote.exec(origin)?.[1];
  if (name === undefined) return false;
  const known = `SELECT 1 FROM remote WHERE name = ? UNION ALL
    SELECT 1 FROM sync_log WHERE remote = ? OR (kind = 'renamed' AND detail = ?) LIMIT 1`;
  return db.get(known, name, name, name) !== undefined || !db.get('SELECT 1 FROM sync_log WHERE seq = 1');
}

/** Every entity's row, relationships and listing, made again from its tip; and the tip as the moves have it. */
export async function verifyEntities(
  db: Connection,
  findings: Findings,
  report: (progress: Progress) => void,
): Promise<MoveLog> {
  const moves = new MoveLog();
  while (db.snapshot((reader) => moves.advance(reader, findings, 5000)));
  const total = db.get<{ n: number }>('SELECT count(*) AS n FROM entity')?.n ?? 0;
  for (let after: number | null = 0; after !== null; ) {
    after = db.snapshot((reader) => {
      while (moves.advance(reader, findings, 5000));
      return entitiesAfter(reader, after as number, findings, moves);
    });
    report({ step: 'entities', done: findings.counts.entities, total });
  }
  if (findings.oneSided > 0)
    findings.remark(`${findings.oneSided} relationships of the pair contains/in stand on one side only.`);
  return moves;
}

function entitiesAfter(db: Reader, after: number, findings: Findings, moves: MoveLog): number | null {
  const until = performance.now() + pageMs;
  const rows = db.all<EntityFacts>(
    `SELECT e.key, e.id, e.tip, e.cid, e.type, e.label, e.ver, e.deleted, e.created_at, e.updated_at, e.json,
        (SELECT c.id FROM entity c WHERE c.key = e.collection) AS collection
       FROM entity e WHERE e.key > ? ORDER BY e.key LIMIT ?`,
    after,
    pageRows,
  );
  const predicates = db.all<{ key: number; name: string }>('SELECT key, name FROM predicate');
  const names = new Map(predicates.map(({ key, name }) => [key, name]));
  const page: Page = { findings, moves, names, peers: new Map() };
  for (const row of rows) {
    verifyOne(db, row, page);
    if (performance.now() > until) return row.key;
  }
  return rows.length < pageRows ? null : (rows.at(-1)?.key ?? null);
}

/** What the entities of a page share. */
interface Page {
  findings: Findings;
  moves: MoveLog;
  /** Predicates by their keys. */
  names: ReadonlyMap<number, string>;
  /** Ids of peers by their keys, as far as they have been asked for: many have the same. */
  peers: Map<number, string>;
}

function verifyOne(db: Reader, row: EntityFacts, page: Page): void {
  const { findings, moves } = page;
  const wrong = (kind: string, message: string) => findings.problem(kind, `${row.id}: ${message}.`, row.id);
  if ((moves.tips.get(row.key) ?? null) !== row.tip) wrong('move', 'its tip is not where the moves lead');
  if (row.tip === null) {
    compareEdges(db, row, [], page);
    return;
  }
  findings.counts.entities++;
  findings.entitiesOf[networkOf(row.id)]++;
  let manifest: Manifest;
  let block: ReturnType<typeof blockWithCid>;
  try {
    block = blockWithCid(db, row.tip);
    manifest = indexed(decodeManifest(block.bytes));
  } catch (error) {
    wrong('entity', `its tip cannot be read (${(error as Error).message})`);
    return;
  }
  if (block.entity !== row.key) wrong('entity', 'its tip is a version of another entity');
  const facts = expected(db, cidText(block.cid), manifest);
  const columns = Object.keys(facts) as (keyof typeof facts)[];
  const differing = columns.filter((name) => facts[name] !== row[name]);
  if (differing.length > 0) wrong('entity', `its row differs from its tip in ${differing.join(', ')}`);
  compareEdges(db, row, manifest.relationships, page);
  compareListings(db, row, manifest, findings);
  compareLabels(db, row, manifest, findings);
  if (!isLogKept(db, row.key, manifest)) wrong('entity', 'what is kept of it as the log of a job is not what it says');
}

function expected(db: Reader, cid: string, manifest: Manifest) {
  const live = manifest.deleted === true ? lastLive(db, manifest)?.manifest : manifest;
  return {
    cid,
    type: manifest.type,
    label: labelOf(manifest),
    ver: manifest.ver,
    deleted: manifest.deleted === true ? 1 : 0,
    created_at: manifest.created_at,
    updated_at: manifest.ts,
    json: currentJson(cid, manifest),
    ...(live && { collection: collectionsOf(live)[0] ?? null }),
  };
}

function compareEdges(
  db: Reader,
  row: EntityFacts,
  relationships: { predicate: string; peer: string }[],
  { findings, names, peers }: Page,
): void {
  const stored = db.all<{ predicate: number; peer: number }>(
    'SELECT predicate, peer FROM edge WHERE source = ?',
    row.key,
  );
  findings.counts.edges += stored.length;
  const there = new Set<string>();
  for (const { predicate: key, peer } of stored) {
    const predicate = names.get(key) ?? '';
    there.add(relationshipKey({ predicate, peer: peerId(db, peer, peers) }));
    const other = predicate === 'contains' ? 'in' : predicate === 'in' ? 'contains' : null;
    if (other !== null && !hasEdge(db, peer, other, row.key)) findings.oneSided++;
  }
  const wanted = new Set(relationships.map(relationshipKey));
  const lacking = [...wanted].filter((key) => !there.has(key)).length;
  const extra = [...there].filter((key) => !wanted.has(key)).length;
  if (lacking + extra > 0)
    findings.problem(
      'edge',
      `${row.id}: ${lacking} of its relationships are not indexed, ${extra} are that it has not.`,
      row.id,
    );
}

/** Empty where there is no such entity. */
function peerId(db: Reader, key: number, peers: Map<number, string>): string {
  let id = peers.get(key);
  if (id === undefined) {
    id = db.get<{ id: string }>('SELECT id FROM entity WHERE key = ?', key)?.id ?? '';
    peers.set(key, id);
  }
  return id;
}

function hasEdge(db: Reader, source: number, predicate: string, peer: number): boolean {
  return (
    db.get(
      'SELECT 1 FROM edge WHERE source = ? AND predicate = (SELECT key FROM predicate WHERE name = ?) AND peer = ?',
      source,
      predicate,
      peer,
    ) !== undefined
  );
}

function compareListings(db: Reader, row: EntityFacts, manifest: Manifest, findings: Findings): void {
  for (const collection of new Set(collectionsOf(manifest))) {
    const listed = db.get<{ type: string; entity: number }>(
      `SELECT l.type, l.entity FROM listing l JOIN entity c ON c.key = l.collection
        WHERE c.id = ? AND l.created_at = ? AND l.id = ?`,
      collection,
      manifest.created_at,
      row.id,
    );
    if (listed?.entity !== row.key || listed.type !== manifest.type)
      findings.problem(
        'listing',
        `${row.id}: it is not listed in the collection ${collection} as it should be.`,
        row.id,
      );
  }
}

function compareLabels(db: Reader, row: EntityFacts, manifest: Manifest, findings: Findings): void {
  const key = labelKey(labelOf(manifest));
  const wanted = key === '' ? new Set<string>() : new Set(collectionsOf(manifest));
  for (const collection of wanted) {
    const indexed = db.get(
      `SELECT 1 FROM label l JOIN entity c ON c.key = l.collection
        WHERE c.id = ? AND l.entity = ? AND l.folded = ?`,
      collection,
      row.key,
      key,
    );
    if (!indexed)
      findings.problem('listing', `${row.id}: it is not found by its label in the collection ${collection}.`, row.id);
  }
}
