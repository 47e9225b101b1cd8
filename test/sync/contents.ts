import { createHash } from 'node:crypto';
import { expect } from 'vitest';
import { contentCid } from '../../src/server/blocks/encode.ts';
import { ask, type Person } from '../helpers/callers.ts';
import { create, type Entity, ok } from '../helpers/entities.ts';
import type { TestNode } from '../helpers/node.ts';
import { type Proxied, startProxied } from './proxied.ts';
import type { Call, FaultyRemote } from './proxy.ts';

export type Scene = Omit<Proxied, 'works'>;

/** The mirror's clock. */
export const clock = { time: Date.now() };

export function startScene(
  remote: object = {},
  {
    stranger = false,
    blocks = false,
    invalid = 400,
    prepare = () => undefined,
  }: { stranger?: boolean; blocks?: boolean; invalid?: number; prepare?: (proxy: FaultyRemote) => void } = {},
): Promise<Scene> {
  return startProxied({
    mirror: { now: () => clock.time },
    proxy: { plain: !blocks, stranger },
    remote,
    prepare: ({ proxy }) => {
      proxy.invalid = invalid;
      prepare(proxy);
    },
  });
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
