import { isCid } from '../../blocks/cid.ts';
import { shortened } from '../../model/cut-text.ts';
import { fromJson } from '../../model/from-json.ts';
import { isEntityId } from '../../model/ids.ts';
import { type JobRequest, targetOf } from '../../model/job-request.ts';
import type { Connection, Reader } from '../connection.ts';
import type { NewJobBatch } from '../jobs/job-rows.ts';
import { type Findings, pageMs } from './verify-findings.ts';

type Value = string | number | null;
type Columns = Record<string, Value>;

/** What the node records beside its entities: nothing else says it, so that a row is compared with what it can be. */
interface Records {
  table: string;
  kind: string;
  name: string;
  /** The columns of its key, all of them text. */
  key: [string, ...string[]];
  /** What is wrong with a row, in words that go on from its name. */
  wrongs: (row: Columns, db: Reader) => Generator<string, void, undefined>;
}

/** Jobs and what belongs to them, imports, uploads: that each row is one that the node could have written. */
export async function verifyRecords(db: Connection, findings: Findings): Promise<void> {
  for (const records of [jobs, batches, grants, imports, uploads]) {
    let place: Uint8Array[] | null = [];
    while (place !== null)
      place = db.snapshot((reader) => recordsAfter(reader, records, place as Uint8Array[], findings));
  }
  const made = db.get<{ n: number }>(
    `SELECT count(*) AS n FROM import_made m WHERE NOT EXISTS (SELECT 1 FROM import_run r WHERE r.key = m.run)
       OR NOT EXISTS (SELECT 1 FROM block b WHERE b.key = m.tip AND b.entity = m.entity)`,
  );
  if (made && made.n > 0)
    findings.problem('import', `${made.n} records of what imports made are of no import, or name no version.`);
}

/**
 * The rows of a page one by one, as some are long; after `place`, which is empty at the beginning. By the bytes of their keys,
 * which may be no text any more.
 */
function recordsAfter(
  db: Reader,
  { table, kind, name, key, wrongs }: Records,
  place: Uint8Array[],
  findings: Findings,
): Uint8Array[] | null {
  const until = performance.now() + pageMs;
  const after = place.length === 0 ? '1' : `(${key.join()}) > (${key.map(() => 'CAST(? AS TEXT)').join()})`;
  const places = key.map((column) => `CAST(${column} AS BLOB) AS "at ${column}"`);
  const sql = `SELECT *, ${places.join()} FROM ${table} WHERE ${after} ORDER BY ${key.join()}`;
  for (const row of db.each<Columns>(sql, ...place)) {
    const of = `${name} ${key.map((column) => short(row[column])).join(' of ')}`;
    for (const wrong of wrongs(row, db)) findings.problem(kind, `${of}: ${wrong}.`);
    if (performance.now() > until) return key.map((column) => row[`at ${column}`] as unknown as Uint8Array);
  }
  return null;
}

function short(value: Value | undefined): string {
  return shortened(String(value), 81);
}

const jobs: Records = {
  table: 'job',
  kind: 'job',
  name: 'Job',
  key: ['id'],
  *wrongs(row, db) {
    yield* references(db, row, ['processor', 'collection', 'target'], ['rhiza']);
    yield* outside(row, 'type', ['agent', 'klados']);
    yield* outside(row, 'state', ['queued', 'sent', 'accepted', 'refused', 'unknown']);
    yield* noTimes(row, ['created', 'expires']);
    // What was held or begun anew may not have been sent.
    const least = row.state === 'queued' || row.state === 'unknown' ? 0 : 1;
    yield* noCounts({ attempts: Number(row.attempts) - least, retry_after: row.retry_after ?? 0 });
    for (const column of ['id', 'run', 'parent', 'retries'] as const)
      if (row[column] !== null && !jobId.test(String(row[column]))) yield `its ${column} is no id of a job`;
    for (const column of ['parent', 'retries'] as const) {
      const other = db.get<{ run: string }>('SELECT run FROM job WHERE id = ?', row[column] ?? null);
      if (other && other.run !== row.run) yield `its ${column} is a job of another run`;
    }
    if (row.handoff !== null && !/^[\w-]{43}$/.test(String(row.handoff))) yield 'its handoff is no digest';
    if (!isAsker(parsed(row.asker))) yield 'who asked for it cannot be read';
    const request = parsed(row.request) as Partial<JobRequest> | null;
    if (request === null) yield 'its request cannot be read';
    else {
      const { job_id = '', job_collection = '', expires_at = '' } = request;
      const said = [job_id, job_collection, targetOf(request), Date.parse(expires_at)];
      const stored = [row.id, row.collection, row.target, row.expires];
      const names = ['id', 'collection', 'target', 'expires'];
      const differing = names.filter((_, i) => said[i] !== stored[i]);
      if (differing.length > 0) yield `its row differs from its request in ${differing.join(', ')}`;
    }
  },
};

const batches: Records = {
  table: 'job_batch',
  kind: 'job',
  name: 'Batch',
  key: ['id'],
  *wrongs(row, db) {
    const [next, total] = [Number(row.next), Number(row.total)];
    if (next < 0 || next > total) yield `${next} of its ${total} invocations are said to have become jobs`;
    const body = parsed(row.body) as Partial<NewJobBatch> | null;
    const { id, items, job, held } = body ?? {};
    if (!Array.isArray(items) || typeof job?.request !== 'object' || !isAsker(parsed(job.asker)))
      return yield 'what it is made from cannot be read';
    yield* references(db, { ...job } as unknown as Columns, ['processor', 'collection', 'target']);
    yield* noTimes({ ...job } as unknown as Columns, ['created', 'expires']);
    const targets = items.filter((item) => isEntityId(String(item?.target_entity)));
    if (
      id !== row.id ||
      items.length !== total ||
      targets.length !== total ||
      !['string', 'undefined'].includes(typeof held)
    )
      yield 'it is not what it is made from';
  },
};

const grants: Records = {
  table: 'job_grant',
  kind: 'job',
  name: 'The grant',
  key: ['run', 'processor'],
  *wrongs(row, db) {
    yield* references(db, row, ['processor']);
    yield* noTimes(row, ['expires']);
    const sql =
      'SELECT 1 WHERE EXISTS (SELECT 1 FROM job WHERE run = ?) OR EXISTS (SELECT 1 FROM job_batch WHERE id = ?)';
    if (!db.get(sql, row.run ?? null, row.run ?? null)) yield 'there is no such run';
    if (!areTexts(parsed(row.actions))) yield 'what it allows cannot be read';
  },
};

const imports: Records = {
  table: 'import_run',
  kind: 'import',
  name: 'Import',
  key: ['id'],
  *wrongs(row, db) {
    if (!isEntityId(String(row.id))) yield 'its id is none of an import';
    yield* references(db, row, [], ['collection']);
    yield* outside(row, 'made', row.collection === null ? [0] : [0, 1]);
    yield* outside(row, 'ended', [null, 0, 1]);
    yield* noTimes(row, ['started']);
    if (!areTexts(parsed(row.files))) yield 'which files it read cannot be read';
    const counts = parsed(row.counts);
    if (counts === null || Array.isArray(counts) || !Object.values(counts).every(isCount))
      yield 'what it has counted cannot be read';
  },
};

const uploads: Records = {
  table: 'upload',
  kind: 'upload',
  name: 'Upload',
  key: ['token'],
  *wrongs(row, db) {
    yield* references(db, row, ['entity']);
    yield* noTimes(row, ['expires']);
    yield* noCounts({ size: row.size ?? null, come: row.come ?? null });
    if (!/^[0-9a-f]{64}$/.test(String(row.token))) yield 'no address leads to it';
    if (Number(row.come) > Number(row.size)) yield `${row.come} bytes have come, of ${row.size}`;
    const { cid = null, received = null } = row;
    for (const one of [cid, received]) if (one !== null && !isCid(String(one))) yield `${short(one)} is no CID`;
    if (received !== null && cid !== received) yield 'what has come is not what was to come';
  },
};

const jobId = /^(?:job|dispatch)_[0-9A-HJKMNP-TV-Z]{26}$/;

/** `may`: what may be null. */
function* references(db: Reader, row: Columns, must: string[], may: string[] = []): Generator<string, void, undefined> {
  for (const column of [...must, ...may]) {
    const id = String(row[column] ?? '');
    if (row[column] === null && may.includes(column)) continue;
    if (!isEntityId(id)) yield `its ${column} is no id of an entity`;
    else if (!db.get('SELECT 1 FROM entity WHERE id = ? AND tip IS NOT NULL', id))
      yield `its ${column} ${id} is not here`;
  }
}

function* outside(row: Columns, column: string, values: Value[]): Generator<string, void, undefined> {
  if (!values.includes(row[column] ?? null)) yield `its ${column} is ${short(row[column])}, which it cannot be`;
}

/** The last millisecond that a date can be of. */
const lastMs = 8.64e15;

function* noTimes(row: Columns, columns: string[]): Generator<string, void, undefined> {
  for (const column of columns) {
    const ms = row[column];
    if (!isCount(ms) || Number(ms) > lastMs) yield `its ${column} is no time`;
  }
}

function* noCounts(values: Columns): Generator<string, void, undefined> {
  for (const [name, value] of Object.entries(values)) if (!isCount(value)) yield `its ${name} cannot be`;
}

function isCount(value: unknown): boolean {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}

/** An object or a list; null for anything else. */
function parsed(text: unknown): object | null {
  try {
    const value = fromJson(String(text));
    return typeof value === 'object' ? value : null;
  } catch {
    return null;
  }
}

function isAsker(value: object | null): boolean {
  const { kind, id } = (value ?? {}) as { kind?: unknown; id?: unknown };
  return ['user', 'processor', 'service'].includes(String(kind)) && typeof id === 'string';
}

function areTexts(value: object | null): boolean {
  return Array.isArray(value) && value.every((one) => typeof one === 'string');
}
