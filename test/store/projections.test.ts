import fc from 'fast-check';
import { expect, test } from 'vitest';
import { decodeManifest } from '../../src/server/blocks/encode.ts';
import type { Change, Commit } from '../../src/server/store/commit.ts';
import { findTip } from '../../src/server/store/entities.ts';
import { listEntities } from '../../src/server/store/listings/listings.ts';
import { findVersion } from '../../src/server/store/versions.ts';
import { rebuiltProjections, storedProjections } from '../helpers/projections.ts';
import { type Content, change, commit, first, idOf, next, openStore, type Version } from '../helpers/store.ts';

/** What a random sequence of commits does to one of a few entities. */
type Action =
  | { do: 'write'; entity: number; content: Content; versions: number; stale: boolean }
  | { do: 'return'; entity: number; to: number }
  | { do: 'fork'; entity: number; from: number; content: Content };

/** The model: each entity's versions that were committed and which of them is its tip. */
class Model {
  readonly versions = new Map<string, Version[]>();
  readonly tips = new Map<string, Version>();

  change(action: Action): { change: Change; tip: Version; made: Version[]; fits: boolean } | null {
    const id = idOf(action.entity);
    const tip = this.tips.get(id);
    const known = this.versions.get(id) ?? [];
    if (action.do === 'write') {
      const made: Version[] = [];
      for (let i = 0; i < action.versions; i++) {
        const before = made.at(-1) ?? tip;
        const content = { ...action.content, properties: { label: `${i}`, at: known.length } };
        // No entity begins with its grave.
        made.push(before ? next(before, content) : first(id, { ...content, deleted: false }));
      }
      const expected = action.stale ? (known.find((it) => it !== tip) ?? null) : (tip ?? null);
      return { change: change(expected, ...made), tip: made.at(-1) as Version, made, fits: expected?.cid === tip?.cid };
    }
    if (!tip) return null;
    if (action.do === 'return') {
      const to = known[action.to % known.length] as Version;
      return { change: { id, expect: tip.cid, tip: to.cid, blocks: [] }, tip: to, made: [], fits: true };
    }
    const made = next(known[action.from % known.length] as Version, action.content);
    return { change: change(tip, made), tip: made, made: [made], fits: true };
  }

  keep(id: string, tip: Version, made: Version[]): void {
    this.versions.set(id, [...(this.versions.get(id) ?? []), ...made]);
    this.tips.set(id, tip);
  }

  edges(): string[] {
    const live = [...this.tips.values()];
    return [
      ...new Set(
        live.flatMap(({ id, manifest }) => manifest.relationships.map((r) => `${id} ${r.predicate} ${r.peer}`)),
      ),
    ].sort();
  }

  listing(collection: string): string[] {
    const members = [...this.tips.values()].filter(({ manifest }) =>
      manifest.relationships.some((r) => r.predicate === 'collection' && r.peer === collection),
    );
    const byTime = (a: Version, b: Version) => (a.manifest.created_at < b.manifest.created_at ? 1 : -1);
    const order = (a: Version, b: Version) =>
      a.manifest.created_at === b.manifest.created_at ? (a.id < b.id ? -1 : 1) : byTime(a, b);
    return members.sort(order).map(({ id }) => id);
  }
}

const entities = 6;
const entity = fc.integer({ min: 1, max: entities });
const content: fc.Arbitrary<Content> = fc.record(
  {
    type: fc.constantFrom('person', 'folder', 'collection'),
    created_at: fc.constantFrom('2026-01-01T00:00:00.000Z', '2026-01-02T00:00:00.000Z'),
    relationships: fc.array(
      fc.tuple(
        fc.constantFrom('collection', 'knows', 'in', 'root'),
        fc.integer({ min: 1, max: entities + 2 }).map(idOf),
      ),
      { maxLength: 5 },
    ),
    deleted: fc.boolean(),
  },
  { requiredKeys: ['deleted'] },
);
const action: fc.Arbitrary<Action> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant('write' as const),
      entity,
      content,
      versions: fc.integer({ min: 1, max: 3 }),
      stale: fc.nat(6).map((n) => n === 0),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('return' as const), entity, to: fc.nat(20) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('fork' as const), entity, from: fc.nat(20), content }) },
);
/** Each inner list is one commit: at most one change an entity. */
const sequence = fc.array(fc.uniqueArray(action, { minLength: 1, maxLength: 3, selector: (it) => it.entity }), {
  minLength: 1,
  maxLength: 25,
});

interface Planned {
  commit: Commit;
  fits: boolean;
}

/** Turns actions into commits against the model, which moves on where a commit fits. */
function plan(model: Model, actions: Action[]): Planned | null {
  const changes = actions.map((it) => model.change(it)).filter((it) => it !== null);
  if (changes.length === 0) return null;
  const fits = changes.every((it) => it.fits);
  if (fits) for (const it of changes) model.keep(it.change.id, it.tip, it.made);
  return { commit: commit(changes.map((it) => it.change)), fits };
}

test('after any sequence of commits, rows are what blocks and tips say, and what a plain model says', {
  timeout: 120_000,
}, async () => {
  await fc.assert(
    fc.asyncProperty(sequence, async (commits) => {
      await using opened = await openStore('here');
      const model = new Model();
      const planned = commits.map((actions) => plan(model, actions)).filter((it) => it !== null);
      const outcomes = await opened.store.submit(planned.map((it) => it.commit));
      expect(outcomes.map(({ committed }) => committed)).toEqual(planned.map(({ fits }) => fits));
      opened.store.read((db) => {
        const stored = storedProjections(db);
        expect(stored).toEqual(rebuiltProjections(db));
        expect(stored.edges).toEqual(model.edges());
        for (let n = 1; n <= entities; n++) expect(findTip(db, idOf(n))).toBe(model.tips.get(idOf(n))?.cid);
        for (let n = 1; n <= entities + 2; n++) {
          const page = listEntities(db, { collection: idOf(n), limit: 100, offset: 0, expand: false });
          expect(page.entities.map(({ id }) => id)).toEqual(model.listing(idOf(n)));
        }
        for (const version of [...model.versions.values()].flat()) {
          const bytes = findVersion(db, version.cid)?.bytes as Uint8Array;
          expect(decodeManifest(bytes)).toEqual(decodeManifest(version.bytes));
        }
      });
    }),
    { numRuns: 60 },
  );
});

test('applying is deterministic: the same commits make the same tables, however they are grouped', {
  timeout: 120_000,
}, async () => {
  await fc.assert(
    fc.asyncProperty(sequence, async (commits) => {
      await using together = await openStore('here');
      await using apart = await openStore('here');
      const model = new Model();
      const all = commits.map((actions) => plan(model, actions)?.commit).filter((it) => it !== undefined);
      const outcomes = await together.store.submit(all);
      for (const [i, it] of all.entries()) expect(await apart.store.submit([it])).toEqual([outcomes[i]]);
      const tables = together.rows("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name");
      expect(tables.length).toBeGreaterThan(6);
      for (const { name } of tables)
        expect(apart.rows(`SELECT * FROM ${name}`), String(name)).toEqual(together.rows(`SELECT * FROM ${name}`));
    }),
    { numRuns: 25 },
  );
});
