import type { JsonObject, Relationship } from '../model/manifest.ts';
import type { Reader } from './connection.ts';
import { findEntity } from './entities.ts';
import { entityKey } from './entity-keys.ts';
import { type GraphExpansion, ShownEntities } from './graph-shown.ts';

export interface GraphEntityQuery {
  id: string;
  /** Relationships of each direction at most. */
  limit: number;
  expand: GraphExpansion;
}

/** Bytes of other entities that are read for the properties of incoming relationships. */
const maxRead = 64 * 1024 * 1024;

/**
 * The answer of `GET /graph/entity/{id}` as JSON text: the entity's own relationships as they stand in it, then those of
 * others to it, by predicate. `null` where it is not here (any more).
 */
export function graphEntityAnswer(db: Reader, { id, limit, expand }: GraphEntityQuery): string {
  const row = findEntity(db, id);
  if (!row || row.deleted) return 'null';
  const shown = new ShownEntities(db, expand);
  const own = relationshipsOf(db, row.key);
  const { incoming, cut } = incomingOf(db, row.key, id, limit);
  const { n: coming } = db.get<{ n: number }>('SELECT count(*) AS n FROM edge WHERE peer = ?', row.key) ?? { n: 0 };
  const texts = own.slice(0, limit).map(({ predicate, peer, peer_type, peer_label, properties }) => {
    const copies = { id: peer, type: peer_type, label: peer_label };
    const members = shown.members('peer', entityKey(db, peer) ?? 0, copies);
    return `{"direction":"outgoing","predicate":${JSON.stringify(predicate)},${members},"properties":${JSON.stringify(properties ?? {})}}`;
  });
  for (const { source, predicate, properties } of incoming)
    texts.push(
      `{"direction":"incoming","predicate":${shown.predicate(predicate)},${shown.members('peer', source)},"properties":${JSON.stringify(properties)}}`,
    );
  const { type, label, collection, created_at, updated_at } = row;
  const head = {
    id,
    pi: id,
    type,
    label,
    collection_id: collection,
    collection_pi: collection,
    created_at,
    updated_at,
  };
  const tail = { totals: { outgoing: own.length, incoming: coming }, truncated: cut || own.length > limit };
  return `${JSON.stringify(head).slice(0, -1)},"relationships":[${texts.join()}],${JSON.stringify(tail).slice(1, -1)}${shown.metadata()}}`;
}

interface Incoming {
  source: number;
  predicate: number;
  properties: JsonObject;
}

/** `cut` where there are more. */
function incomingOf(db: Reader, key: number, id: string, limit: number): { incoming: Incoming[]; cut: boolean } {
  const rows = db.all<{ source: number; predicate: number; name: string; size: number }>(
    `SELECT d.source, d.predicate, p.name, coalesce(octet_length(e.json), 0) AS size
       FROM edge d JOIN predicate p ON p.key = d.predicate JOIN entity e ON e.key = d.source
      WHERE d.peer = ? ORDER BY d.predicate, d.source LIMIT ?`,
    key,
    limit + 1,
  );
  const incoming: Incoming[] = [];
  const toHere = new Map<number, Relationship[]>();
  let read = 0;
  for (const { source, predicate, name, size } of rows.slice(0, limit)) {
    if (!toHere.has(source)) {
      read += size;
      if (read > maxRead) return { incoming, cut: true };
      toHere.set(
        source,
        relationshipsOf(db, source).filter(({ peer }) => peer === id),
      );
    }
    const one = toHere.get(source)?.find((r) => r.predicate === name);
    incoming.push({ source, predicate, properties: one?.properties ?? {} });
  }
  return { incoming, cut: rows.length > limit };
}

function relationshipsOf(db: Reader, key: number): Relationship[] {
  const row = db.get<{ json: string | null }>('SELECT json FROM entity WHERE key = ?', key);
  return row?.json == null ? [] : (JSON.parse(row.json) as { relationships: Relationship[] }).relationships;
}
