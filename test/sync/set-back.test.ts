import { join } from 'node:path';
import { expect, test } from 'vitest';
import { restoreBackup } from '../../src/server/store/backup/restore-backup.ts';
import { ask, operator } from '../helpers/callers.ts';
import { collection, create, ok, read } from '../helpers/entities.ts';
import { startNode, temporaryFolder } from '../helpers/node.ts';
import { lastLine, operate } from '../helpers/node-archives.ts';
import { remoteOf, startPair, sync, tipsOf } from './nodes.ts';

test.each([
  ['a plain remote', true],
  ['a node', false],
])('a backup from before all of it went to %s is level with it again by a sync', async (_, plain) => {
  await using folder = await temporaryFolder();
  const [dir, data] = [join(folder.path, 'backup'), join(folder.path, 'restored')];
  await using pair = await startPair({ plain });
  const { origin, mirror, curator, here } = pair;
  const same = await collection(mirror, here, { label: 'Same', roles: { public: ['entity:view'] } });
  const edited = await collection(mirror, here, { label: 'Works', roles: { reader: ['collection:view'] } });
  for (const { id } of [same, edited]) await create(mirror, here, { collection: id });
  expect(await lastLine(await operate(mirror, 'POST /node/backup', { dir }))).toHaveProperty('done');
  await sync(mirror, here);
  const { cid } = await read(origin, curator, edited.id);
  ok(await ask(origin, curator, `PUT /collections/${edited.id}`, { expect_tip: cid, label: 'Edited there' }));

  await restoreBackup(dir, data, () => undefined);
  await using restored = await startNode({ data });
  const who = operator(restored);
  expect(await sync(restored, who)).toMatchObject({ conflicts: 0, created: 0, updated: 0 });
  expect(await remoteOf(restored, who)).toMatchObject({ pending: 0, conflicts: 0 });
  expect(await tipsOf(restored)).toEqual(await tipsOf(origin));
});
