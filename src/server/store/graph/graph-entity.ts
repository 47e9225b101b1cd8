import { fromJson } from '../../model/from-json.ts';
import { lenientRelationship } from '../../model/lenient.ts';
import type { Relationship } from '../../model/manifest.ts';
import type { Reader } from '../connection.ts';
import { findEntity } from '../entities.ts';
import { entityKey } from '../entity-keys.ts';
import { isTimeUp } from '../threads/read-time.ts';
import { Utf8Text } from '../utf8-text.ts';
import { type GraphExpansion, ShownEntities } from './graph-shown.ts';

export interface GraphEntityQuery {
  id: string;
  /** Relationships of each direction at most; all if omitted. */
  limit?: number | undefined;
  expand: GraphExpansion;
}

/** Bytes of an answer, and milliseconds for what it is read from: whole entities, for the properties of what they own. */
const [maxAnswer, maxMilliseconds] = [64 * 1024 * 1024, 30_000];
/** Bytes of entities of which the relationships to another one are kept until they are answered. */
const maxKept = 64 * 1024 * 1024;
const perPage = 1000;

/**
 * The answer of `GET /graph/entity/{id}` as JSON, in UTF-8: the entity's own relationships as they stand in it, then those
 * of others to it, by predicate. `null` where it is not here (any more).
 */
export function graphEntityAnswer(db: Reader, { id, limit, expand }: GraphEntityQuery): Uint8Array {
  const text = new Utf8Text();
  const until = performance.now() + maxMilliseconds;
  const row = findEntity(db, id);
  if (!row || row.deleted) {
    text.add('null');
    return text.bytes();
  }
  const { type, label, collection, created_at, updated_at } = row;
  const places = { collection_id: collection, collection_pi: collection };
  const head = { id, pi: id, type, label, ...places, created_at, updated_at };
  text.add(`${JSON.stringify(head).slice(0, -1)},"relationships":[`);
  const shown = new ShownEntities(db, expand);
  const own = relationshipsOf(db, row.key);
  const outgoing = added(text, '', outgoingOf(db, own, shown), { limit, until });
  const incoming = added(text, outgoing > 0 ? ',' : '', incomingOf(db, row.key, id, shown), { limit, until });
  const { n: coming } = db.get<{ n: number }>('SELECT count(*) AS n FROM edge WHERE peer = ?', row.key) ?? { n: 0 };
  const tail = {
    totals: { outgoing: own.length, incoming: coming },
    truncated: outgoing < own.length || incoming < coming,
  };
  text.add(`],${JSON.stringify(tail).slice(1, -1)}${shown.metadata()}}`);
  return text.bytes();
}

/** Adds relationships until there are so many of them, the answer is as long as it may be, or its time is up; gives how many. */
function added(
  text: Utf8Text,
  before: string,
  relationships: Iterable<string>,
  { limit = Number.POSITIVE_INFINITY, until }: { limit: number | undefined; until: number },
): number {
  let count = 0;
  for (const relationship of relationships) {
    if (text.length > maxAnswer || isTimeUp(until)) break;
    text.add(count === 0 ? before : ',', relationship);
    if (++count >= limit) break;
  }
  return count;
}

function* outgoingOf(db: Reader, own: Relationship[], shown: ShownEntities): Generator<string, void, undefined> {
  for (const { predicate, peer, peer_type, peer_label, properties } of own) {
    const copies = { id: peer, type: peer_type, label: peer_label };
    const members = shown.members('peer', entityKey(db, peer) ?? 0, copies);
    yield `{"direction":"outgoing","predicate":${JSON.stringify(predicate)},${members},"properties":${JSON.stringify(properties ?? {})}}`;
  }
}

function* incomingOf(db: Reader, key: number, id: string, shown: ShownEntities): Generator<string, void, undefined> {
  // Of what has several relationships to here: it comes again with each of their predicates.
  const toHere = new Map<number, Relationship[]>();
  let kept = 0;
  for (const { source, predicate, name, size } of incomingRows(db, key)) {
    let own = toHere.get(source);
    if (!own) {
      own = relationshipsOf(db, source).filter(({ peer }) => peer === id);
      if (own.length > 1) {
        kept += size;
        if (kept > maxKept) {
          toHere.clear();
          kept = size;
        }
        toHere.set(source, own);
      }
    }
    const one = own.find((r) => r.predicate === name);
    yield `{"direction":"incoming","predicate":${shown.predicate(predicate)},${shown.members('peer', source)},"properties":${JSON.stringify(one?.properties ?? {})}}`;
  }
}

interface IncomingRow {
  source: number;
  predicate: number;
  name: string;
  /** Bytes of the entity that it stands in. */
  size: number;
}

function* incomingRows(db: Reader, key: number): Generator<IncomingRow, void, undefined> {
  for (let last = { predicate: -1, source: -1 }; ; ) {
    const rows = db.all<IncomingRow>(
      `SELECT d.source, d.predicate, p.name, coalesce(octet_length(e.json), 0) AS size
         FROM edge d CROSS JOIN predicate p ON p.key = d.predicate CROSS JOIN entity e ON e.key = d.source
        WHERE d.peer = ? AND (d.predicate, d.source) > (?, ?) ORDER BY d.predicate, d.source LIMIT ?`,
      key,
      last.predicate,
      last.source,
      perPage,
    );
    yield* rows;
    if (rows.length < perPage) return;
    last = rows.at(-1) as IncomingRow;
  }
}

function relationshipsOf(db: Reader, key: number): Relationship[] {
  const row = db.get<{ json: string | null }>('SELECT json FROM entity WHERE key = ?', key);
  if (row?.json == null) return [];
  return (fromJson(row.json) as { relationships: Relationship[] }).relationships.map(lenientRelationship);
}
