import { createHash } from 'node:crypto';
import { expect } from 'vitest';
import { contentCid } from '../../src/server/blocks/encode.ts';
import { ask, operator, type Person, user } from '../helpers/callers.ts';
import { collection, create, type Entity, ok } from '../helpers/entities.ts';
import { startNode, type TestNode } from '../helpers/node.ts';
import { addRemote, keyOf } from './nodes.ts';
import { type Call, type FaultyRemote, startProxy } from './proxy.ts';

export interface Scene extends AsyncDisposable {
  origin: TestNode;
  mirror: TestNode;
  proxy: FaultyRemote;
  curator: Person;
  here: Person;
  place: Entity;
}

/** The mirror's clock. */
export const clock = { time: Date.now() };

export async function startScene(
  remote: object = {},
  {
    stranger = false,
    blocks = false,
    invalid = 400,
    prepare = () => undefined,
  }: { stranger?: boolean; blocks?: boolean; invalid?: number; prepare?: (proxy: FaultyRemote) => void } = {},
): Promise<Scene> {
  await using opened = new AsyncDisposableStack();
  const origin = opened.use(await startNode());
  const mirror = opened.use(await startNode({ now: () => clock.time }));
  const proxy = opened.use(await startProxy(origin.url, { plain: !blocks, stranger }));
  const curator = await user(origin, 'curator');
  const here = operator(mirror);
  const place = await collection(origin, curator, { label: 'Works' });
  proxy.invalid = invalid;
  prepare(proxy);
  await addRemote(mirror, here, { url: proxy.url, key: keyOf(curator), ...remote });
  const all = opened.move();
  return { origin, mirror, proxy, curator, here, place, [Symbol.asyncDispose]: () => all.disposeAsync() };
}

/** Bytes that do not repeat. */
export function bytesOf(size: number, seed = 1): Buffer {
  const bytes = Buffer.alloc(size);
  for (let at = 0, n = seed; at + 4 <= size; at += 4) {
    n = (n * 1664525 + 1013904223) >>> 0;
    bytes.writeUInt32LE(n, at);
  }
  return bytes;
}

export const cidOf = (bytes: Buffer) => contentCid(createHash('sha256').update(bytes).digest());

/** An entity with content under the key `v1`. */
export async function holding(node: TestNode, who: Person, bytes: Buffer, body: object = {}): Promise<Entity> {
  const entity = await create(node, who, body);
  ok(await ask(node, who, `POST /entities/${entity.id}/content?key=v1`, bytes, { 'Content-Type': 'image/tiff' }));
  return ok(await ask(node, who, `GET /entities/${entity.id}`));
}

/** A file in the earlier form. */
export async function file(node: TestNode, who: Person, bytes: Buffer, body: object = {}): Promise<Entity> {
  const declared = { key: 'k1', filename: 'a.tif', content_type: 'image/tiff', size: bytes.length, ...body };
  const { id } = ok(await ask(node, who, 'POST /files', declared));
  return ok(await ask(node, who, `POST /files/${id}/content`, bytes, { 'Content-Type': 'image/tiff' }));
}

export async function expectBytes(node: TestNode, who: Person, path: string, bytes: Buffer): Promise<void> {
  const response = await fetch(`${node.url}${path}`, { headers: who.headers });
  expect(response.status).toBe(200);
  expect(Buffer.compare(Buffer.from(await response.arrayBuffer()), bytes)).toBe(0);
}

export const isContent = ({ method, path }: Call) => method === 'GET' && /\/content(\?|$)/.test(path);
