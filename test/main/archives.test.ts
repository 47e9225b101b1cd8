import { once } from 'node:events';
import { symlinkSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { beforeEach, expect, test, vi } from 'vitest';
import { operator } from '../helpers/callers.ts';
import { collection } from '../helpers/entities.ts';
import { startNode, temporaryFolder } from '../helpers/node.ts';

vi.mock('electron', async () => (await import('./electron.ts')).electron);

const { archivesIn, importArchive } = await import('../../src/main/archives.ts');
const { signIn } = await import('../../src/main/node-client.ts');
const { BrowserWindow, told } = await import('./electron.ts');

type Real = Parameters<typeof importArchive>[0];

beforeEach(() => {
  told.messages.length = 0;
  told.press = {};
});

test('archives are found among arguments as whole paths', () => {
  const args = ['.', '--car', '-x.car', 'a.car', '/b/C.CAR', 'd.car.txt', 'sub/e.car'];
  expect(archivesIn(args, '/home/ann')).toEqual(['/home/ann/a.car', '/b/C.CAR', '/home/ann/sub/e.car']);
});

test('an archive is imported after a yes, with its progress, and with words on what became of it', async () => {
  await using folder = await temporaryFolder();
  await using origin = await startNode();
  await using node = await startNode();
  await collection(origin, operator(origin), { label: 'Letters' });
  const answer = await fetch(`${origin.url}/node/export`, { headers: operator(origin).headers });
  const file = join(folder.path, 'letters.car');
  writeFileSync(file, Buffer.from(await answer.arrayBuffer()));
  node.ctx.sessions.acceptToken('T'.repeat(43));
  const session = await signIn(node.url, 'T'.repeat(43));
  const window = new BrowserWindow({ width: 1, height: 1, webPreferences: {} });
  const entities = async () => {
    const { body } = await node.fetch('/node/status', { headers: operator(node).headers });
    return (body as { networks: { entities: number }[] }).networks.map((network) => network.entities);
  };

  const before = await entities();
  told.press = { Import: 1 };
  await importArchive(window as unknown as Real, session, file);
  expect(told.messages.map(({ message }) => message)).toEqual(['Import the archive “letters.car”?']);
  expect(window.progress).toEqual([-1]);
  expect(await entities()).toEqual(before);

  told.press = {};
  await importArchive(window as unknown as Real, session, file);
  expect(told.messages.at(-1)).toMatchObject({ type: 'info', message: '“letters.car” is imported' });
  expect(told.messages.at(-1)?.detail).toMatch(/^Entities: \d+\. New: \d+; moved on: 0/);
  expect([window.progress[1], window.progress.at(-1)]).toEqual([2, -1]);

  writeFileSync(file, 'no archive');
  await importArchive(window as unknown as Real, session, file);
  expect(told.messages.at(-1)).toMatchObject({ type: 'error', message: '“letters.car” was not imported' });
  expect(told.messages.at(-1)?.detail).toMatch(/^The archive is damaged at byte \d+: \w/);
  expect(window.progress.at(-1)).toBe(-1);

  await importArchive(window as unknown as Real, session, join(folder.path, 'gone.car'));
  expect(told.messages.at(-1)?.message).toBe('“gone.car” cannot be opened');

  const ending = createServer((socket) => void socket.once('data', () => socket.destroy()));
  await once(ending.listen(0, '127.0.0.1'), 'listening');
  const url = `http://127.0.0.1:${(ending.address() as AddressInfo).port}`;
  await importArchive(window as unknown as Real, { ...session, url }, file);
  expect(told.messages.at(-1)).toMatchObject({ type: 'error', message: 'The import of “letters.car” was cut off' });
  ending.close();

  symlinkSync('round.car', join(folder.path, 'round.car'));
  await importArchive(window as unknown as Real, session, join(folder.path, 'round.car'));
  expect(told.messages.at(-1)).toMatchObject({ message: '“round.car” was not imported' });
  expect(told.messages.at(-1)?.detail).toContain('ELOOP');
});
