import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { type Block, encodeManifest } from '../../src/server/blocks/encode.ts';
import type { JsonObject, Manifest, Relationship } from '../../src/server/model/manifest.ts';
import type { Change, Commit } from '../../src/server/store/commit.ts';
import { findTip } from '../../src/server/store/entities.ts';
import { NetworkStore } from '../../src/server/store/network-store.ts';

/** The two places where a writer can be: every suite of the store's behaviour runs with both. */
export const writers = ['here', 'thread'] as const;

/** The id of the test's n-th entity. */
export function idOf(n: number): string {
  return `01K${String(n).padStart(23, '0')}`;
}

/** A version with its block. */
export interface Version extends Block {
  id: string;
  manifest: Manifest;
}

export interface Content {
  type?: string;
  created_at?: string;
  properties?: JsonObject;
  /** `[predicate, peer]` each. */
  relationships?: [string, string][];
  deleted?: boolean;
}

/** Version 1 of an entity, on a fixed clock. */
export function first(id: string, content: Content = {}): Version {
  return versionOf(id, 1, null, content);
}

/** The version after another one; what is not said stays as it was. */
export function next(before: Version, content: Content = {}): Version {
  const { type, created_at, properties, relationships } = before.manifest;
  const pairs = relationships.map(({ predicate, peer }): [string, string] => [predicate, peer]);
  const kept = { type, created_at, properties, relationships: pairs };
  return versionOf(before.id, before.manifest.ver + 1, before.cid, { ...kept, ...content });
}

function versionOf(id: string, ver: number, prev: string | null, content: Content): Version {
  const { type = 'person', created_at = '2026-01-01T00:00:00.000Z', deleted = false } = content;
  const manifest: Manifest = {
    schema: 'arke/eidos@v1',
    id,
    type,
    created_at,
    ver,
    ts: new Date(Date.UTC(2026, 0, 1) + ver * 1000).toISOString(),
    prev,
    properties: deleted ? {} : (content.properties ?? { label: `entity ${id}` }),
    relationships: deleted ? [] : (content.relationships ?? []).map(relationship),
    edited_by: { user_id: idOf(1), method: 'manual' },
    ...(deleted ? { deleted: true as const } : {}),
  };
  return { ...encodeManifest(manifest), id, manifest };
}

function relationship([predicate, peer]: [string, string]): Relationship {
  return { predicate, peer };
}

/** A change to the last of the versions, made from `expect`. */
export function change(expect: Version | null, ...versions: Version[]): Change {
  const last = versions.at(-1) as Version;
  const blocks = versions.map(({ cid, bytes }) => ({ cid, bytes }));
  return { id: last.id, expect: expect?.cid ?? null, tip: last.cid, blocks };
}

export function commit(changes: Change[], also: Partial<Commit> = {}): Commit {
  return { changes, preconditions: [], rows: [], origin: 'local', time: 1_000, ...also };
}

/** A commit of one entity's step. */
export function step(expect: Version | null, ...versions: Version[]): Commit {
  return commit([change(expect, ...versions)]);
}

export interface TestStore extends AsyncDisposable {
  store: NetworkStore;
  /** The data folder. */
  data: string;
  /** The database's file. */
  file: string;
  tip(id: string): string | undefined;
  /** Rows of a statement. */
  rows(sql: string): Record<string, unknown>[];
  /** Changes the database behind the store's back. */
  meddle(sql: string): void;
}

/** A store in a folder of its own that goes with it. */
export async function openStore(writer: (typeof writers)[number]): Promise<TestStore> {
  await using opened = new AsyncDisposableStack();
  const data = opened.adopt(mkdtempSync(join(tmpdir(), 'archeion-store-')), (path) =>
    rmSync(path, { recursive: true }),
  );
  const store = opened.adopt(await NetworkStore.open(data, 'main', { writer }), (it) => it.close());
  const file = join(data, 'main', 'archeion.db');
  const all = opened.move();
  return {
    store,
    data,
    file,
    tip: (id) => store.read((db) => findTip(db, id)),
    rows: (sql) => store.read((db) => db.all(sql)),
    meddle: (sql) => {
      const db = new Database(file);
      try {
        db.exec(sql);
      } finally {
        db.close();
      }
    },
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}
