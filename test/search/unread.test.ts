import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import { databaseFile } from '../../src/server/store/network-store.ts';
import { searchFile } from '../../src/server/store/search/search-index.ts';
import { ask, operator } from '../helpers/callers.ts';
import { create, type Entity, ok } from '../helpers/entities.ts';
import { startNode, type TestNode, temporaryFolder } from '../helpers/node.ts';
import { indexed, indexIdle, labels, search } from '../helpers/searches.ts';

// What one entity holds does not keep others out of the index.

const find = async (node: TestNode, query: string) => labels(await search(node, operator(node), 'entities', { query }));

interface Status {
  networks: { network: string; index: { problem: string | null } }[];
}

async function problem(node: TestNode): Promise<string | null | undefined> {
  const { networks } = ok<Status>(await ask(node, operator(node), 'GET /node/status'));
  return networks.find(({ network }) => network === 'main')?.index.problem;
}

test('an entity with millions of letters in one text is found, and so is what comes after it', async () => {
  await using node = await startNode();
  const properties = { label: 'Dump', hex: `baf${'0f'.repeat(4_000_000)}`, note: 'firmware' };
  await create(node, operator(node), { type: 'file_dump', properties, sync_index: true });
  await indexed(node, operator(node), 'Afterwards');
  expect([await find(node, 'firmware'), await find(node, 'afterwards')]).toEqual([['Dump'], ['Afterwards']]);
  expect(await problem(node)).toBe(null);
});

test('an entity whose texts cannot be read is found by its label, and named, and all others are found', async () => {
  await using folder = await temporaryFolder();
  let bad: Entity;
  {
    await using node = await startNode({ data: folder.path });
    bad = await indexed(node, operator(node), 'Broken', { properties: { label: 'Broken', note: 'porcelain' } });
    await indexed(node, operator(node), 'Whole', { properties: { label: 'Whole', note: 'stoneware' } });
  }
  const damage = (from: string, to: string): void => {
    const db = new Database(databaseFile(folder.path, 'main'));
    db.prepare('UPDATE entity SET json = replace(json, ?, ?) WHERE id = ?').run(from, to, bad.id);
    db.close();
  };
  const [sound, unsound] = ['"properties":{', '"properties":null,"lost":{'];
  damage(sound, unsound);
  await rm(searchFile(join(folder.path, 'main')));
  {
    await using node = await startNode({ data: folder.path });
    await indexIdle(node);
    expect(await find(node, 'stoneware')).toEqual(['Whole']);
    expect([await find(node, 'broken'), await find(node, 'porcelain')]).toEqual([['Broken'], []]);
    expect(await problem(node)).toMatch(`by their labels alone: ${bad.id}.`);
    await indexed(node, operator(node), 'Later');
    const told = node.logged.filter((line) => line.includes(bad.id));
    expect(told).toHaveLength(1);
    expect(told[0]).toMatch('TypeError: ');
  }
  {
    // Also where nothing has to be looked at again.
    await using node = await startNode({ data: folder.path });
    expect(await problem(node)).toMatch(bad.id);
  }
  damage(unsound, sound);
  await using node = await startNode({ data: folder.path });
  ok(await ask(node, operator(node), 'POST /node/reindex', {}));
  expect(await find(node, 'porcelain')).toEqual(['Broken']);
  expect(await problem(node)).toBe(null);
});
