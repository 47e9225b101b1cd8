import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Person, user } from '../helpers/callers.ts';
import { chat, type Part } from '../helpers/chat.ts';
import { type ChatEndpoint, calls, says, startChatEndpoint } from '../helpers/chat-endpoint.ts';
import { collection, create, type Entity, remove } from '../helpers/entities.ts';
import { startNode, type TestNode } from '../helpers/node.ts';
import { indexIdle } from '../helpers/searches.ts';

let endpoint: ChatEndpoint;
let node: TestNode;
let owner: Person;
let works: Entity;
let horses: Entity;
let mares: Entity;

beforeAll(async () => {
  endpoint = await startChatEndpoint();
  node = await startNode({ env: endpoint.env });
  owner = await user(node, 'owner');
  works = await collection(node, owner, { label: 'Watercolours', description: 'Sheets of a cabinet' });
  const within = { collection: works.id, type: 'artwork' };
  horses = await create(node, owner, { ...within, properties: { label: 'Horses in a meadow by a brook' } });
  mares = await create(node, owner, { ...within, properties: { label: 'Mares in a meadow by a brook' } });
  await create(node, owner, { ...within, properties: { label: 'A steamer' } });
  const gone = await create(node, owner, { ...within, properties: { label: 'Horses, burnt' } });
  await indexIdle(node);
  await remove(node, owner, gone);
});
afterAll(async () => {
  await node[Symbol.asyncDispose]();
  await endpoint[Symbol.asyncDispose]();
});

/** What tools answer to a model that uses them, and what its answer cites. */
async function used(
  answer: string,
  ...tools: { name: string; args: object }[]
): Promise<{ results: Part[]; cited: string[] }> {
  endpoint.asked = [];
  endpoint.replies = [calls(...tools), says(answer)];
  const { parts } = await chat(node, owner, 'What is there?');
  return {
    results: parts.filter(({ type }) => type.startsWith('tool-output')),
    cited: parts.filter(({ type }) => type === 'source-document').map(({ title }) => String(title)),
  };
}

test('a model searches: misspelled words, types and collections, and only what is not deleted', async () => {
  const { results, cited } = await used(
    `[Horses](arke:${horses.id})`,
    { name: 'search', args: { text: 'horsse', types: ['artwork'] } },
    { name: 'search', args: { text: 'horses', types: ['artist'] } },
    { name: 'search', args: { text: 'meadow', collection: works.id, limit: 1 } },
    { name: 'search_collections', args: { text: 'cabinet' } },
  );
  const hits = results.map(({ output }) => output.results.map(({ id }: { id: string }) => id));
  expect(hits).toEqual([[horses.id], [], [expect.any(String)], [works.id]]);
  expect(results[0]?.output.results[0]).toMatchObject({ label: 'Horses in a meadow by a brook', type: 'artwork' });
  expect(cited).toEqual(['Horses in a meadow by a brook']);
});

test('it finds what is like an entity, and lists collections with their names', async () => {
  const { results } = await used(
    'So it is.',
    { name: 'find_similar', args: { id: horses.id } },
    { name: 'list_collections', args: {} },
    { name: 'find_similar', args: { id: works.id.replace(/^./, '7') } },
    { name: 'search', args: { text: 'x'.repeat(501) } },
    { name: 'search', args: { text: 'a', limit: 51 } },
  );
  expect(results[0]?.output.results[0]).toMatchObject({ id: mares.id });
  expect(results[1]?.output).toEqual({
    collections: [{ id: works.id, label: 'Watercolours', description: 'Sheets of a cabinet' }],
    total: 1,
    has_more: false,
  });
  expect(results.slice(2).map(({ errorText }) => errorText)).toEqual([
    'Entity not found',
    expect.stringMatching(/^Wrong arguments. text:/),
    expect.stringMatching(/^Wrong arguments. limit:/),
  ]);
});
