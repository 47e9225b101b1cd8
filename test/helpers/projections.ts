import { cidText } from '../../src/server/blocks/cid.ts';
import { decodeManifest } from '../../src/server/blocks/encode.ts';
import { labelKey } from '../../src/server/model/label-fold.ts';
import { collectionsOf, labelOf, type Manifest } from '../../src/server/model/manifest.ts';
import { wireManifest } from '../../src/server/model/wire-manifest.ts';
import { blockBytes } from '../../src/server/store/blocks.ts';
import type { Reader } from '../../src/server/store/connection.ts';

/** The rows that are derived from current versions, by ids instead of keys, in one order. */
export interface Projections {
  entities: unknown[];
  edges: string[];
  listings: string[];
  labels: string[];
}

const names = '(SELECT id FROM entity WHERE key = %) ';

export function storedProjections(db: Reader): Projections {
  const name = (column: string) => names.replace('%', column);
  const lines = (sql: string) => db.all<{ line: string }>(sql).map(({ line }) => line);
  return {
    entities: db.all(
      `SELECT e.id, (SELECT cid FROM block WHERE key = e.tip) AS cid, e.type, e.label, e.ver, e.deleted, e.created_at,
         e.updated_at, e.json, (SELECT c.id FROM entity c WHERE c.key = e.collection) AS collection
         FROM entity e WHERE e.tip IS NOT NULL ORDER BY e.id`,
    ),
    edges: lines(
      `SELECT ${name('d.source')} || ' ' || (SELECT name FROM predicate WHERE key = d.predicate) || ' ' || ${name('d.peer')} AS line
         FROM edge d`,
    ).sort(),
    listings: lines(
      `SELECT ${name('l.collection')} || ' ' || l.created_at || ' ' || l.type || ' ' || l.id || ' ' || ${name('l.entity')} AS line
         FROM listing l`,
    ).sort(),
    labels: lines(
      `SELECT ${name('l.collection')} || ' ' || l.folded || ' ' || ${name('l.entity')} AS line FROM label l`,
    ).sort(),
  };
}

/** The same made from nothing but blocks and tips. */
export function rebuiltProjections(db: Reader): Projections {
  const blocks = new Map<string, Manifest>();
  for (const { key, cid } of db.all<{ key: number; cid: Uint8Array }>('SELECT key, cid FROM block'))
    blocks.set(cidText(cid), decodeManifest(blockBytes(db, key)));
  const rebuilt: Projections = { entities: [], edges: [], listings: [], labels: [] };
  const tips = db.all<{ id: string; cid: Uint8Array }>(
    'SELECT e.id, b.cid FROM entity e JOIN block b ON b.key = e.tip ORDER BY e.id',
  );
  for (const { id, cid } of tips) {
    const manifest = blocks.get(cidText(cid)) as Manifest;
    const live = lastLive(manifest, blocks);
    rebuilt.entities.push({
      id,
      cid,
      type: manifest.type,
      label: labelOf(manifest),
      ver: manifest.ver,
      deleted: manifest.deleted ? 1 : 0,
      created_at: manifest.created_at,
      updated_at: manifest.ts,
      json: manifest.deleted ? null : JSON.stringify(wireManifest(cidText(cid), manifest)),
      collection: (live && collectionsOf(live)[0]) ?? null,
    });
    for (const { predicate, peer } of manifest.relationships) rebuilt.edges.push(`${id} ${predicate} ${peer}`);
    for (const collection of collectionsOf(manifest))
      rebuilt.listings.push(`${collection} ${manifest.created_at} ${manifest.type} ${id} ${id}`);
    const key = labelKey(labelOf(manifest));
    if (key !== '') for (const collection of collectionsOf(manifest)) rebuilt.labels.push(`${collection} ${key} ${id}`);
  }
  return {
    ...rebuilt,
    edges: unique(rebuilt.edges),
    listings: unique(rebuilt.listings),
    labels: unique(rebuilt.labels),
  };
}

function lastLive(manifest: Manifest, blocks: Map<string, Manifest>): Manifest | undefined {
  let version: Manifest | undefined = manifest;
  while (version?.deleted) version = version.prev === null ? undefined : blocks.get(version.prev);
  return version;
}

function unique(lines: string[]): string[] {
  return [...new Set(lines)].sort();
}
