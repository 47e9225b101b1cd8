import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { CarImportView } from '../../src/server/resources/node/archives/wire.ts';
import type { VerifyView } from '../../src/server/resources/node/upkeep/wire.ts';
import type { TestNode } from './node.ts';

/** A request of the operator's, with whatever body. */
export async function operate(
  node: Pick<TestNode, 'url' | 'data'>,
  request: string,
  body?: Uint8Array | object,
  network = 'main',
): Promise<Response> {
  const [method = 'GET', path = '/'] = request.split(' ');
  const key = (await readFile(join(node.data, 'operator.key'), 'utf8')).trim();
  const isRaw = body instanceof Uint8Array;
  return fetch(`${node.url}${path}`, {
    method,
    headers: {
      Authorization: `ApiKey ${key}`,
      'X-Arke-Network': network,
      'Content-Type': isRaw ? 'application/vnd.ipld.car' : 'application/json',
    },
    ...(body !== undefined && { body: isRaw ? Buffer.from(body) : JSON.stringify(body) }),
  });
}

export interface Written {
  id: string;
  cid: string;
  ver: number;
}

/** An operator's request that must succeed. */
export async function done<T = Written>(
  node: Pick<TestNode, 'url' | 'data'>,
  request: string,
  body?: object,
  network?: string,
): Promise<T> {
  const response = await operate(node, request, body, network);
  const text = await response.text();
  if (!response.ok) throw new Error(`${request} answered ${response.status}: ${text}`);
  return JSON.parse(text) as T;
}

export function create(node: TestNode, label: string, extra: object = {}): Promise<Written> {
  return done(node, 'POST /entities', { type: 'document', properties: { label }, ...extra });
}

export function update(node: TestNode, { id, cid }: Pick<Written, 'id' | 'cid'>, properties: object): Promise<Written> {
  return done(node, `PUT /entities/${id}`, { expect_tip: cid, properties });
}

export function remove(node: TestNode, { id, cid }: Pick<Written, 'id' | 'cid'>): Promise<Written> {
  return done(node, `DELETE /entities/${id}`, { expect_tip: cid });
}

export async function exported(
  node: TestNode,
  query = '',
  since?: Uint8Array,
): Promise<{ car: Uint8Array; checkpoint: string; entities: number }> {
  const response = await operate(node, `${since ? 'POST' : 'GET'} /node/export${query}`, since);
  if (!response.ok) throw new Error(`export answered ${response.status}: ${await response.text()}`);
  const car = new Uint8Array(await response.arrayBuffer());
  return {
    car,
    checkpoint: response.headers.get('X-Archeion-Checkpoint') ?? '',
    entities: Number(response.headers.get('X-Archeion-Entities')),
  };
}

/** The last line of an answer of lines. */
export async function lastLine(response: Response): Promise<Record<string, unknown>> {
  const lines = (await response.text()).trim().split('\n');
  return JSON.parse(lines.at(-1) ?? '') as Record<string, unknown>;
}

/** What an import that succeeds says. */
export async function imported(node: TestNode, car: Uint8Array): Promise<CarImportView> {
  const response = await operate(node, 'POST /node/import-car', car);
  const line = await lastLine(response);
  if (!line.done) throw new Error(`import-car answered ${response.status}: ${JSON.stringify(line)}`);
  return line.done as CarImportView;
}

export async function verified(node: TestNode): Promise<VerifyView> {
  const line = await lastLine(await operate(node, 'POST /node/verify'));
  if (!line.done) throw new Error(`verify answered ${JSON.stringify(line)}`);
  return line.done as VerifyView;
}

/** The tip of each entity of a node but the users, one of whom every node makes for itself. */
export function tipsOf(node: TestNode, network: 'main' | 'test' = 'main'): Promise<Map<string, string>> {
  return Promise.resolve(node.ctx.networks.get(network)).then((store) => {
    const rows = store.read((db) =>
      db.all<{ id: string; cid: string }>(
        "SELECT id, cid FROM entity WHERE tip IS NOT NULL AND type <> 'user' ORDER BY id",
      ),
    );
    return new Map(rows.map(({ id, cid }) => [id, cid]));
  });
}
