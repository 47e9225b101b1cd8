import { expect, test } from 'vitest';
import { derivedId } from '../../src/server/model/ids.ts';
import type { IncomingLinksView } from '../../src/server/resources/node/links/wire.ts';
import { misfits } from '../contract/document.ts';
import { anonymous, ask, operator, user } from '../helpers/callers.ts';
import { collection, create, invalid, ok, remove } from '../helpers/entities.ts';
import { startNode } from '../helpers/node.ts';

test('what leads to an entity is read page by page, each once, by its operator alone', async () => {
  await using node = await startNode();
  const me = operator(node);
  const home = await collection(node, me, { label: 'Works' });
  const hub = await create(node, me, { type: 'artist', collection: home.id, properties: { label: 'Hub' } });
  const works = [];
  for (let n = 0; n < 25; n++)
    works.push(
      await create(node, me, {
        type: 'work',
        collection: home.id,
        properties: { label: `Work ${n}` },
        relationships: [
          { predicate: 'made_by', peer: hub.id },
          ...(n % 5 === 0 ? [{ predicate: 'about', peer: hub.id }] : []),
        ],
      }),
    );
  const path = `GET /node/links/${hub.id}/incoming`;
  const read = async (query: string) => {
    const answer = await ask(node, me, `${path}?${query}`);
    expect(misfits('GET /node/links/{id}/incoming', answer.status, answer.body), answer.text).toEqual([]);
    return ok<IncomingLinksView>(answer);
  };
  const all: string[] = [];
  let next: string | null = '';
  for (let pages = 0; next !== null; pages++) {
    expect(pages).toBeLessThan(10);
    const page: IncomingLinksView = await read(`limit=7${next && `&after=${next}`}`);
    expect(page.total).toBe(30);
    all.push(...page.relationships.map(({ predicate, peer_label }) => `${predicate} ${peer_label}`));
    next = page.next;
  }
  expect(new Set(all).size).toBe(30);
  expect(all.filter((one) => one.startsWith('about '))).toHaveLength(5);

  const [first] = works;
  if (first) await remove(node, me, first);
  expect((await read('')).total).toBe(28);
  for (const wrong of ['1.x', '1.2', '1.2.x', '1.2.3.4', '1.2.1234567890123456'])
    expect((await ask(node, me, `${path}?after=${wrong}`)).body).toEqual(
      invalid(['after'], 'must be `next` of the page before'),
    );
  expect((await ask(node, me, `${path}?limit=0`)).status).toBe(400);
  expect((await ask(node, anonymous, path)).status).toBe(401);
  expect((await ask(node, await user(node, 'ada'), path)).status).toBe(403);
  expect((await ask(node, me, 'GET /node/links/01ARZ3NDEKTSV4RRFFQ69G5FAV/incoming')).status).toBe(404);
  expect((await ask(node, me, path.replace(hub.id, derivedId('test', 'elsewhere')))).body).toEqual(
    invalid(['id'], 'is not an id of the main network'),
  );
});
