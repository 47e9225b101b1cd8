import { expect, test } from 'vitest';
import type { ImportMadeView, UndoneView } from '../../src/server/resources/node/imports/wire.ts';
import { ask, operator } from '../helpers/callers.ts';
import { collection, create, type Entity, ok, read, update } from '../helpers/entities.ts';
import { importer } from '../helpers/imports.ts';
import { startNode } from '../helpers/node.ts';
import { exported, imported } from '../helpers/node-archives.ts';
import { lines, type Pair, startPair, sync, tipsOf } from './nodes.ts';

// A plain remote says what is pushed there by versions of its own, which are followed here: that is no edit of what was imported.

const records = (v: string) => Array.from({ length: 3 }, (_, n) => JSON.stringify({ id: `r${n}`, v })).join('\n');

const made = async ({ mirror, here }: Pair, id: string): Promise<ImportMadeView> =>
  ok(await ask(mirror, here, `GET /node/imports/${id}/made`));

async function undone({ mirror, here }: Pair, id: string): Promise<UndoneView> {
  const answer = await ask(mirror, here, `POST /node/imports/${id}/undo`);
  return (lines(answer.text).at(-1) as { done: UndoneView }).done;
}

async function pushed(pair: Pair): Promise<void> {
  for (let run = 0; run < 2; run++)
    expect(await sync(pair.mirror, pair.here)).toMatchObject({ refused: 0, conflicts: 0, stopped: null });
  expect(await tipsOf(pair.mirror)).toEqual(await tipsOf(pair.origin));
}

test('records that a plain remote has are as they were imported: read again, undone, brought back', async () => {
  await using pair = await startPair({ plain: true });
  const { run } = importer(pair.mirror);
  const first = await run({ collection: 'Records' }, { 'a.ndjson': records('one') });
  await pushed(pair);
  expect(await made(pair, first.id)).toMatchObject({ made: 3, untouched: 3, changed: 0, collection_goes: true });

  const body = { collection: 'Records' };
  expect(await run(body, { 'a.ndjson': records('two') })).toMatchObject({ updated: 3, left_alone: 0 });
  await pushed(pair);
  expect(await run(body, { 'a.ndjson': records('three') })).toMatchObject({ updated: 3, left_alone: 0 });
  await pushed(pair);

  const another = await run({ collection: 'Others' }, { 'b.ndjson': records('one').replaceAll('r', 's') });
  await pushed(pair);
  expect(await undone(pair, another.id)).toMatchObject({ deleted: 3, kept: 0, collection_deleted: true });
  await pushed(pair);
  const again = await run({ collection: 'Others' }, { 'b.ndjson': records('one').replaceAll('r', 's') });
  expect(again).toMatchObject({ created: 3, left_alone: 0 });
  expect(again.collection.id).toBe(another.collection.id);
});

test('an archive that a plain remote has is undone all the same, but for what was edited', async () => {
  await using source = await startNode();
  await using pair = await startPair({ plain: true });
  const { mirror, here } = pair;
  const by = operator(source);
  const [document] = [await create(source, by), await create(source, by)];
  const bytes = Buffer.from('some words');
  const file = { key: 'a', filename: 'a.txt', content_type: 'text/plain', size: bytes.length };
  const { id } = ok<Entity>(await ask(source, by, 'POST /files', file));
  ok(await ask(source, by, `POST /files/${id}/content`, bytes, { 'Content-Type': 'text/plain' }));

  const { run } = await imported(mirror, (await exported(source)).car);
  await pushed(pair);
  expect(await made(pair, run)).toMatchObject({ made: 3, untouched: 3, changed: 0 });
  await update(mirror, here, await read(mirror, here, document.id), { properties: { n: 1 } });
  await pushed(pair);
  expect(await undone(pair, run)).toMatchObject({ deleted: 2, kept: 1 });
});

test('an archive from before is nothing new, whatever a plain remote has made of it since, and brings back what was undone', async () => {
  await using pair = await startPair({ plain: true });
  const { mirror, here } = pair;
  const [same, edited] = [await create(mirror, here), await create(mirror, here)];
  const { car } = await exported(mirror);
  await update(mirror, here, edited, { properties: { n: 1 } });
  await pushed(pair);
  expect(await imported(mirror, car)).toMatchObject({ forks: 0, advanced: 0, created: 0 });
  expect(await tipsOf(mirror)).toEqual(await tipsOf(pair.origin));

  await using other = await startPair({ plain: true });
  const { run } = await imported(other.mirror, car);
  await pushed(other);
  expect(await undone(other, run)).toMatchObject({ deleted: 2, kept: 0 });
  await pushed(other);
  expect(await imported(other.mirror, car)).toMatchObject({ created: 2, forks: 0 });
  await pushed(other);
  expect((await read(other.mirror, other.here, same.id)).type).toBe('document');
});

test('a node that follows by archives takes over what stands above a plain remote’s versions, but where it was edited', async () => {
  await using pair = await startPair({ plain: true });
  await using follower = await startNode();
  const { mirror, here } = pair;
  const who = operator(follower);
  const place = await collection(mirror, here);
  const [moved, edited, undone] = [await create(mirror, here), await create(mirror, here), await create(mirror, here)];
  await update(mirror, here, moved, { properties: { n: 1 } });
  await update(mirror, here, undone, { properties: { n: 1 } });
  await imported(follower, (await exported(mirror)).car);
  await update(follower, who, await read(follower, who, edited.id), { properties: { here: true } });
  await update(follower, who, await read(follower, who, undone.id), { properties_remove: ['n'] });
  await pushed(pair);
  // The collection names the user of the key as its owner now, where it was the operator.
  expect(await imported(follower, (await exported(mirror)).car)).toMatchObject({ advanced: 1, forks: 2 });
  for (const { id } of [moved, edited, undone])
    await update(mirror, here, await read(mirror, here, id), { properties: { n: 2 } });
  expect(await imported(follower, (await exported(mirror)).car)).toMatchObject({ advanced: 1, forks: 2 });
  expect(await read(follower, who, moved.id)).toMatchObject({ properties: { n: 2 } });
  expect((await read(follower, who, place.id)).cid).toBe((await read(mirror, here, place.id)).cid);
});
