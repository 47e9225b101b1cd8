import { join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, test } from 'vitest';
import { searchFile } from '../../src/server/store/search/search-index.ts';
import { ask, operator } from '../helpers/callers.ts';
import { collection, create, type Entity, ok, remove, update } from '../helpers/entities.ts';
import { startNode, type TestNode } from '../helpers/node.ts';
import { indexIdle, labels, search } from '../helpers/searches.ts';

// Collections are found by what they hold: by its labels, and by those of what it leads to.

/** The collections that a search finds by a word, once the index has taken up everything. */
async function holding(node: TestNode, query: string): Promise<string[]> {
  await indexIdle(node);
  return labels(await search(node, operator(node), 'collections', { query })).toSorted();
}

describe('what an entity of a collection leads to and names in its text as well', () => {
  /** Works holds a work by somebody of People, who is named in the work's text too. */
  async function made(node: TestNode, { asCollection = false } = {}) {
    const me = operator(node);
    const [works, people] = await Promise.all(['Works', 'People'].map((label) => collection(node, me, { label })));
    const person = await create(node, me, { collection: people?.id, properties: { label: 'Quillfeather' } });
    const sheet = await (asCollection ? collection : create)(node, me, {
      ...(asCollection ? { label: 'Sheet' } : { properties: { label: 'Sheet' } }),
    });
    const work = await update(node, me, sheet, {
      properties: { text: `Drawn by [someone](arke:${person.id}).` },
      relationships_add: [
        { predicate: 'collection', peer: works?.id },
        { predicate: 'by', peer: person.id },
      ],
    });
    return { person, work };
  }

  test('is found by its new name, and by its old one no more', async () => {
    await using node = await startNode();
    const { person } = await made(node);
    expect(await holding(node, 'quillfeather')).toEqual(['People', 'Works']);
    await update(node, operator(node), person, { properties: { label: 'Brackwater' } });
    expect(await holding(node, 'brackwater')).toEqual(['People', 'Works']);
    expect(await holding(node, 'quillfeather')).toEqual([]);
  });

  test('is not found by its name while it is deleted', async () => {
    await using node = await startNode();
    const { person } = await made(node);
    expect(await holding(node, 'quillfeather')).toEqual(['People', 'Works']);
    await remove(node, operator(node), person);
    expect(await holding(node, 'quillfeather')).toEqual([]);
    const { cid } = ok<Entity>(await ask(node, operator(node), `GET /entities/${person.id}/tip`));
    ok(await ask(node, operator(node), `POST /entities/${person.id}/restore`, { expect_tip: cid }));
    expect(await holding(node, 'quillfeather')).toContain('Works');
  });

  test('is found by its new name where what leads to it is a collection itself, whose entities change meanwhile', async () => {
    await using node = await startNode();
    const { person, work } = await made(node, { asCollection: true });
    expect(await holding(node, 'quillfeather')).toEqual(['People', 'Sheet', 'Works']);
    const entities = Array.from({ length: 3 }, (_, i) => ({
      ...{ type: 'note', collection: work.id },
      properties: { label: `Note ${i}` },
    }));
    // The index is held: it takes up both at once.
    const holder = new Database(searchFile(join(node.data, 'main')));
    try {
      holder.exec('BEGIN IMMEDIATE');
      await update(node, operator(node), person, { properties: { label: 'Brackwater' } });
      ok(await ask(node, operator(node), 'POST /entities/batch', { entities }));
    } finally {
      holder.close();
    }
    expect(await holding(node, 'brackwater')).toEqual(['People', 'Sheet', 'Works']);
    expect(await holding(node, 'quillfeather')).toEqual([]);
  });
});

test('the index comes to rest with collections that lie in each other, live or deleted', async () => {
  await using node = await startNode();
  const me = operator(node);
  const [first, second] = await Promise.all(['Outer', 'Inner'].map((label) => collection(node, me, { label })));
  const inside = (one: Entity | undefined, other: Entity | undefined) =>
    update(node, me, one as Entity, { relationships_add: [{ predicate: 'collection', peer: other?.id }] });
  const both = [await inside(first, second), await inside(second, first)];
  expect(await holding(node, 'inner')).toEqual(['Inner', 'Outer']);
  for (const one of both) await remove(node, me, one);
  expect(await holding(node, 'inner')).toEqual([]);
});

describe('an entity in two collections', () => {
  async function made(node: TestNode) {
    const me = operator(node);
    const [alpha, beta] = await Promise.all(['Alpha', 'Beta'].map((label) => collection(node, me, { label })));
    const plant = await create(node, me, {
      ...{ collection: alpha?.id, properties: { label: 'Zwieselwurz' } },
      relationships: [{ predicate: 'collection', peer: beta?.id }],
    });
    return { me, alpha, beta, plant };
  }

  test('is what both are found by, and neither once it is deleted', async () => {
    await using node = await startNode();
    const { me, plant } = await made(node);
    expect(await holding(node, 'zwieselwurz')).toEqual(['Alpha', 'Beta']);
    const renamed = await update(node, me, plant, { properties: { label: 'Bitterknolle' } });
    expect(await holding(node, 'bitterknolle')).toEqual(['Alpha', 'Beta']);
    expect(await holding(node, 'zwieselwurz')).toEqual([]);
    await remove(node, me, renamed);
    expect(await holding(node, 'bitterknolle')).toEqual([]);
  });

  test.each(['Alpha', 'Beta'])('is not what %s is found by once it was taken out of it', async (label) => {
    await using node = await startNode();
    const { me, alpha, beta, plant } = await made(node);
    expect(await holding(node, 'zwieselwurz')).toEqual(['Alpha', 'Beta']);
    const [left, kept] = label === 'Alpha' ? [alpha, beta] : [beta, alpha];
    await update(node, me, plant, { relationships_remove: [{ predicate: 'collection', peer: left?.id }] });
    expect(await holding(node, 'zwieselwurz')).toEqual([kept?.properties.label]);
  });

  test('does not bring the label of one into what the other is found by', async () => {
    await using node = await startNode();
    const { me, alpha } = await made(node);
    await update(node, me, alpha as Entity, { properties: { description: 'Written again.' } });
    expect(await holding(node, 'beta')).toEqual(['Beta']);
  });
});
