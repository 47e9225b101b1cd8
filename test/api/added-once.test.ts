import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import { ask, operator, type Person } from '../helpers/callers.ts';
import { collection, create, type Entity, ok, read, update } from '../helpers/entities.ts';
import { allow, command, ended, replying, within } from '../helpers/local.ts';
import { startNode, type TestNode, temporaryFolder } from '../helpers/node.ts';
import { addRemote, keyOf, sync } from '../sync/nodes.ts';
import { startProxy } from '../sync/proxy.ts';

const env = { PATH: '/usr/bin:/bin' };

test.each([
  ['', null, [3, 2]],
  // The remote has what was made and then added to in one version.
  [', nor where a plain remote has all of it by versions of its own', 'plain', [2, 1]],
  [', nor where many older versions of another node have come since', 'node', [28, 2]],
] as const)(
  'what a command has written before a stop is not written again over what others made of it since%s',
  async (_where, kind, [ver, otherVer]) => {
    await using elsewhere = await startNode({ now: () => Date.now() - 3 * 86_400_000 });
    await using folder = await temporaryFolder();
    const data = folder.path;
    const commands = {
      adds: replying(`require('node:fs').writeFileSync(job.folder + '/text', 'of the command');
      const [entity_id, other] = job.target_entities;
      const updates = [{ entity_id, properties: { seen: 'by the command' } }, { entity_id: other, properties: { seen: 1 } }];
      return { updates, outputs: [{ type: 'note', content: [{ path: 'text' }] }, { type: 'last' }] };`),
    };
    let [files, path]: [Entity[], string] = [[], ''];
    let where: Entity;
    {
      // Undone once the node is closed.
      using opened = new DisposableStack();
      await using node = await startNode({ data, env });
      const me = operator(node);
      where = await collection(node, me, { label: 'target' });
      await allow(node, commands);
      const klados = await command(node, me, where.id, 'adds', { accepts: { types: ['*'], cardinality: 'many' } });
      for (let n = 0; n < 2; n++) files.push(await create(node, me, { collection: where.id }));
      if (kind === 'node') {
        await addRemote(node, me, { url: elsewhere.url, key: keyOf(operator(elsewhere)), direction: 'both' });
        await sync(node, me);
      }
      const db = opened.adopt(new Database(join(data, 'main', 'archeion.db')), (it) => {
        it.exec('DROP TRIGGER full');
        it.close();
      });
      db.exec(
        `CREATE TRIGGER full BEFORE INSERT ON entity WHEN NEW.type = 'last' BEGIN SELECT RAISE(ABORT, 'no more'); END`,
      );
      const body = { target_entities: files.map(({ id }) => id), target_collection: where.id, confirm: true };
      const { job_id } = ok<{ job_id: string }>(await ask(node, me, `POST /kladoi/${klados.id}/invoke`, body));
      path = `/kladoi/${klados.id}/jobs/${job_id}/status`;
      const content = async () => (await within(node, me, where.id, 'note'))[0]?.properties.content;
      await expect.poll(content, { timeout: 20_000 }).toBeDefined();
    }
    // While the list cannot be read nothing is begun.
    await writeFile(join(data, 'processors.json'), '{', { mode: 0o600 });
    await using node = await startNode({ data, env });
    const me = operator(node);
    const [file, other] = files.map(({ id }) => id) as [string, string];
    await using opened = new AsyncDisposableStack();
    if (kind === 'plain') await send(node, me, elsewhere, opened);
    if (kind === 'node') {
      const there = operator(elsewhere);
      let edited = await read(elsewhere, there, file);
      for (let n = 0; n < 25; n++) edited = await update(elsewhere, there, edited, { properties: { n } });
      await sync(node, me);
      expect((await read(node, me, file)).properties).toMatchObject({ n: 24, seen: 'by the command' });
    }
    await update(node, me, await read(node, me, file), { properties: { seen: 'by me' } });
    const [note] = (await within(node, me, where.id, 'note')) as [Entity];
    const text = { 'Content-Type': 'text/plain' };
    ok(await ask(node, me, `POST /entities/${note.id}/content?key=content`, 'of mine', text));
    await allow(node, commands);
    expect(await ended(node, me, path)).toMatchObject({ status: 'done' });
    expect(await within(node, me, where.id, 'last')).toHaveLength(1);
    expect((await ask(node, me, `GET /entities/${note.id}/content?key=content`)).text).toBe('of mine');
    expect(await read(node, me, file)).toMatchObject({ ver, properties: { seen: 'by me' } });
    expect(await read(node, me, other)).toMatchObject({ ver: otherVer, properties: { seen: 1 } });
  },
);

async function send(node: TestNode, me: Person, remote: TestNode, opened: AsyncDisposableStack): Promise<void> {
  const { url } = opened.use(await startProxy(remote.url));
  await addRemote(node, me, { url, key: keyOf(operator(remote)), direction: 'both' });
  for (let run = 0; run < 2; run++) await sync(node, me);
}
