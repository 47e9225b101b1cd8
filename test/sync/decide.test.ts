import { expect, test } from 'vitest';
import { decide, type Merger } from '../../src/server/sync/decide.ts';
import { storedChain } from '../../src/server/sync/manifests.ts';
import { versionOf } from '../../src/server/sync/version-of.ts';
import { first, idOf, next, openStore, step } from '../helpers/store.ts';
import { unrelated as relation } from './unrelated.ts';

const merger: Merger = {
  remote: { key: 1, name: 'origin', user: idOf(1), secret: 'uk_1', direction: 'both' },
  self: [],
  schema: 'arke/eidos@v1',
  now: () => Date.UTC(2026, 0, 1),
};

test.each([
  [10, { merged: true, next: { standing: 'quiet' } }],
  [17 * 1024 * 1024, { merged: false, next: { standing: 'conflict' } }],
])(
  'changes of both sides merge by themselves where a version holds them: %d characters each',
  async (length, outcome) => {
    const half = 'x'.repeat(length);
    const base = first(idOf(2), { properties: { label: 'base' } });
    const ours = next(base, { properties: { label: 'base', ours: half } });
    const theirs = next(base, { properties: { label: 'base', theirs: half } });
    await using opened = await openStore('here');
    await opened.store.submit([step(null, base), step(base, ours)]);
    const known = versionOf(base.cid, base.manifest);
    const state = { local: versionOf(ours.cid, ours.manifest), theirs: known, twin: base.cid, base: null };
    const seen = { kind: 'seen', version: versionOf(theirs.cid, theirs.manifest), relation } as const;
    const chain = storedChain(theirs.cid, theirs.manifest);
    const decided = opened.store.read((db) => decide(db, { ...state, standing: 'quiet' }, seen, chain, merger));
    expect(decided).toMatchObject(outcome);
  },
);

test('a folder that was turned upside down there merges with an edit of here, also before the other one has come', async () => {
  const [upper, lower] = [idOf(2), idOf(3)];
  const says = (label: string, ...relationships: [string, string][]) => ({
    type: 'folder',
    ...{ properties: { label }, relationships },
  });
  const below = first(lower, says('lower', ['in', upper]));
  const base = first(upper, says('upper', ['contains', lower]));
  const ours = next(base, says('ours', ['contains', lower]));
  const theirs = next(base, says('upper', ['in', lower]));
  await using opened = await openStore('here');
  await opened.store.submit([step(null, below), step(null, base), step(base, ours)]);
  const known = versionOf(base.cid, base.manifest);
  const state = { local: versionOf(ours.cid, ours.manifest), theirs: known, twin: base.cid, base: null };
  const seen = { kind: 'seen', version: versionOf(theirs.cid, theirs.manifest), relation } as const;
  const chain = storedChain(theirs.cid, theirs.manifest);
  const decided = opened.store.read((db) => decide(db, { ...state, standing: 'quiet' }, seen, chain, merger));
  expect(decided).toMatchObject({ merged: true, next: { standing: 'quiet' } });
  expect(decided.chain.manifest).toMatchObject({
    properties: { label: 'ours' },
    relationships: [{ predicate: 'in', peer: lower }],
  });
});
