import { readdirSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterEach, expect, test, vi } from 'vitest';
import { UnavailableError } from '../../src/server/errors.ts';
import { migrations } from '../../src/server/store/migrations/migrate.ts';
import { databaseFile } from '../../src/server/store/network-store.ts';
import { setBack } from '../helpers/earlier-schema.ts';
import { startNode, temporaryFolder } from '../helpers/node.ts';

// The copy of a database that is made before it is brought up to date, and when it goes.

const version = migrations.length - 1;
const copy = `archeion.db.before-${version}`;

function copies(data: string): string[] {
  return readdirSync(join(data, 'main')).filter((name) => name.includes('.before-'));
}

/** From here on starts are those of another process. */
async function later(): Promise<void> {
  // The clock of files is some milliseconds late.
  await setTimeout(50);
  vi.spyOn(performance, 'timeOrigin', 'get').mockReturnValue(Date.now());
}

afterEach(() => {
  vi.restoreAllMocks();
});

/** A data folder that a start has brought up to date. */
async function upgraded(data: string): Promise<void> {
  await (await startNode({ data }))[Symbol.asyncDispose]();
  setBack(databaseFile(data, 'main'), version);
  await (await startNode({ data, watch: true }))[Symbol.asyncDispose]();
  await later();
}

test('a copy of before an upgrade outlives starts that fail and commands, and goes once a node is ready', async () => {
  await using folder = await temporaryFolder();
  const data = folder.path;
  await upgraded(data);
  expect(copies(data)).toEqual([copy]);
  {
    await using other = await startNode();
    const env = { ARCHEION_PORT: new URL(other.url).port };
    await expect(startNode({ data, env, watch: true })).rejects.toThrow(UnavailableError);
  }
  expect(copies(data)).toEqual([copy]);
  // One that runs for a command.
  await (await startNode({ data }))[Symbol.asyncDispose]();
  expect(copies(data)).toEqual([copy]);
  await using _node = await startNode({ data, watch: true });
  await vi.waitFor(() => expect(copies(data)).toEqual([]));
});

test('a copy that cannot be removed is no reason not to start', async () => {
  await using folder = await temporaryFolder();
  const data = folder.path;
  await (await startNode({ data }))[Symbol.asyncDispose]();
  // What is no file is not removed as one.
  await mkdir(join(data, 'main', copy));
  await later();
  await using node = await startNode({ data, watch: true });
  await vi.waitFor(() => expect(node.logged.join('')).toContain('copy of before an upgrade could not be removed'));
  expect((await node.fetch('/events')).status).toBe(200);
});
