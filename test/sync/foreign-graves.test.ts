import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { encodeHistoric } from '../../src/server/blocks/encode.ts';
import type { JsonObject } from '../../src/server/model/manifest.ts';
import { ask, operator } from '../helpers/callers.ts';
import { type Entity, ok, remove } from '../helpers/entities.ts';
import { startNode } from '../helpers/node.ts';
import { addRemote, remoteOf, sync } from './nodes.ts';

const [someone, work, other] = ['1', '2', '3'].map((n) => n.padStart(26, '0')) as [string, string, string];

interface Version {
  cid: string;
  manifest: JsonObject;
}

/** A program that knows no more than interface.md, whose deleted entities are what `buried` makes of them. */
async function startService(buried: (head: JsonObject) => JsonObject) {
  const chains = new Map<string, Version[]>();
  const events: { id: number; pi: string; cid: string; ts: string }[] = [];
  const ts = '2026-01-01T00:00:00.000Z';
  const write = (manifest: JsonObject): Version => {
    const id = String(manifest.id);
    const version = { cid: encodeHistoric(manifest).cid, manifest };
    chains.set(id, [...(chains.get(id) ?? []), version]);
    events.unshift({ id: (events[0]?.id ?? 0) + 1, pi: id, cid: version.cid, ts });
    return version;
  };
  const next = (id: string): JsonObject => {
    const before = chains.get(id)?.at(-1) as Version;
    return { ...before.manifest, ver: Number(before.manifest.ver) + 1, prev: { '/': before.cid } };
  };
  const bury = (id: string): Version => {
    const { properties: _properties, relationships: _relationships, ...head } = next(id);
    return write(buried(head));
  };
  const create = (id: string): Version => {
    const head = { schema: 'arke/eidos@v1', id, type: 'document', created_at: ts, ts, ver: 1, prev: null };
    const edited_by = { user_id: someone, method: 'manual' };
    return write({ ...head, edited_by, properties: { label: 'A work' }, relationships: [] });
  };
  const answer = (method: string, path: string): object | null => {
    const [, kind, id = '', part] = path.split('/');
    if (kind === 'events') return { events, has_more: false, cursor: 0 };
    if (path === '/users/me') return { id: someone };
    if (path === '/entities/batch-get') return { entities: [], not_found: [] };
    if (kind === 'versions') return [...chains.values()].flat().find(({ cid }) => cid === part) ?? null;
    if (method === 'DELETE') return { id, cid: bury(id).cid };
    const tip = chains.get(id)?.at(-1);
    const isTold = tip && !(service.hides && tip.manifest.deleted);
    return part === 'tip' && isTold ? { id, cid: tip.cid } : null;
  };
  const server = createServer(async (request, response) => {
    if (request.headers['content-length']) await json(request);
    const body = answer(request.method ?? '', new URL(request.url ?? '', 'http://there').pathname);
    response.writeHead(body ? 200 : 404, { 'Content-Type': 'application/json' });
    response.end(JSON.stringify(body ?? { error: 'Entity not found' }));
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const service = {
    /** It tells no tips of what is deleted. */
    hides: false,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    ...{ create, bury },
    /** Its feed forgets all but its newest event. */
    forget: () => {
      events.length = 1;
    },
    revive: (id: string) => {
      const { deleted: _deleted, ...head } = next(id);
      return write({ ...head, schema: 'arke/eidos@v1', properties: { n: 2 }, relationships: [] });
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => {
        server.close(resolve);
      });
    },
  };
  return service;
}

test.each<[string, (head: JsonObject) => JsonObject]>([
  ['says so', (head) => ({ ...head, deleted: true })],
  ['has a schema of its own', (head) => ({ ...head, schema: 'arke/eidos-deleted@v1' })],
  ['has neither properties nor relationships', (head) => head],
])('what was deleted at a plain remote is deleted here, where its version %s', async (_how, buried) => {
  await using service = await startService(buried);
  await using mirror = await startNode();
  const here = operator(mirror);
  for (const id of [work, other]) service.create(id);
  await addRemote(mirror, here, { url: service.url, key: `uk_${'0'.repeat(32)}` });
  await sync(mirror, here);
  const gone = service.bury(work);
  await remove(mirror, here, ok<Entity>(await ask(mirror, here, `GET /entities/${other}`)));
  expect(await sync(mirror, here)).toMatchObject({ entities: 1, deleted: 1, troubles: 0, conflicts: 0 });
  expect(await ask(mirror, here, `GET /entities/${work}`)).toMatchObject({
    status: 404,
    body: { details: { deleted: true, tip: gone.cid, ver: 2 } },
  });
  expect((await ask(mirror, here, `GET /entities/${other}`)).status).toBe(404);
  expect(await remoteOf(mirror, here)).toMatchObject({ pending: 0, conflicts: 0, refused: 0 });
  const { cid } = service.revive(work);
  await sync(mirror, here);
  expect(ok<Entity>(await ask(mirror, here, `GET /entities/${work}`))).toMatchObject({ cid, ver: 3 });
});

test('a plain remote that tells no tip of what is known to be deleted there was not set back', async () => {
  await using service = await startService((head) => ({ ...head, deleted: true }));
  await using mirror = await startNode();
  const here = operator(mirror);
  for (const id of [work, other]) service.create(id);
  await addRemote(mirror, here, { url: service.url, key: `uk_${'0'.repeat(32)}` });
  await sync(mirror, here);
  service.hides = true;
  service.bury(work);
  await sync(mirror, here);
  for (let n = 0; n < 3; n++) service.revive(other);
  service.forget();
  expect(await sync(mirror, here)).toMatchObject({ stopped: null, swept: true });
  expect((await ask(mirror, here, `GET /entities/${work}`)).status).toBe(404);
  expect(await sync(mirror, here)).toMatchObject({ stopped: null, swept: false });
});
