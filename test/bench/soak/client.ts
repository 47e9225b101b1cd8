import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { cidOf } from '../../helpers/files.ts';
import type { Node } from '../processes.ts';
import { type Made, resembling, type Scene } from './scene.ts';
import type { Tally } from './tally.ts';

/** A version that was answered, or bytes that were taken. */
export type Acknowledged = { versions: [id: string, cid: string][] } | { file: string };

interface View {
  id: string;
  cid: string;
}

interface Work {
  scene: Scene;
  /** What it asks first: what comes seldom is asked for once, also by so few requests as a busy machine has time for. */
  first: Kind;
  /** Entities that are this client's alone: nobody else moves their tips. */
  own: Made[];
  random: () => number;
  tally: Tally;
  acknowledge: (one: Acknowledged) => void;
  /** Milliseconds from one request to the next, on average. */
  pause: number;
  isOver: () => boolean;
}

/** How many of a hundred requests are of a kind, more or less. */
const shares = {
  get: 30,
  update: 12,
  'stale update': 4,
  list: 8,
  search: 6,
  graph: 6,
  feed: 8,
  create: 8,
  batch: 1,
  delete: 2,
  upload: 2,
  download: 5,
};
export type Kind = keyof typeof shares;
export const kinds = Object.keys(shares) as Kind[];
const hundred = kinds.flatMap((kind) => Array.from({ length: shares[kind] }, () => kind));
const batchSize = 10;
const pageSize = 100;

/** One client: it asks now one thing, now another, each as long after the one before as if nobody had to wait. */
export async function client(node: Node, { scene, first, own, random, tally, acknowledge, pause, isOver }: Work) {
  const files: { id: string; cid: string }[] = [];
  // Where it looks after more than in the beginning it deletes one rather than making another: the load stays what it is.
  const mostOwn = own.length;
  let since = scene.since;
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)] as T;

  async function ask<T>(line: string, body?: object, wanted = 200, type = 'application/json'): Promise<T> {
    const [method = '', path = ''] = line.split(' ');
    const answer = await fetch(`${node.url}${path}`, {
      method,
      headers: { ...node.headers, 'content-type': type },
      body: body === undefined ? null : Buffer.isBuffer(body) ? new Uint8Array(body) : JSON.stringify(body),
    });
    const bytes = Buffer.from(await answer.arrayBuffer());
    if (answer.status !== wanted)
      throw new Error(`${line} was answered ${answer.status}: ${bytes.toString('utf8', 0, 300)}`);
    return (answer.headers.get('content-type')?.includes('json') ? JSON.parse(bytes.toString()) : bytes) as T;
  }

  function moved(entity: Made, { cid }: View): void {
    entity.cid = cid;
    acknowledge({ versions: [[entity.id, cid]] });
  }

  const does: Record<Kind, () => Promise<void>> = {
    async get() {
      const { id, cid } = pick(own);
      const answer = await ask<View>(`GET /entities/${id}`);
      if (answer.cid !== cid) throw new Error(`${id} is at ${answer.cid}, and was answered to be at ${cid}`);
    },
    async update() {
      const entity = pick(own);
      const { id, cid, like } = entity;
      const other = pick(own).id;
      const isOther = other !== id && other !== like;
      moved(
        entity,
        await ask<View>(`PUT /entities/${id}`, {
          expect_tip: cid,
          properties: scene.properties(random),
          ...(isOther && { relationships_add: [resembling(other)] }),
          ...(isOther && like && { relationships_remove: [resembling(like)] }),
        }),
      );
      if (isOther) entity.like = other;
    },
    async 'stale update'() {
      const { id } = pick(own);
      await ask(`PUT /entities/${id}`, { expect_tip: scene.staleTip, properties: { lost: true } }, 409);
    },
    async list() {
      const offset = Math.floor(random() * scene.entities);
      await ask(`GET /collections/${scene.collection}/entities?limit=${pageSize}&offset=${offset}`);
    },
    async search() {
      await ask('POST /search/entities', { query: scene.words(random, 2), limit: 20 });
    },
    async graph() {
      await ask('POST /graph/paths', { source_ids: [pick(own).id], target_ids: [pick(own).id], max_depth: 3 });
    },
    async feed() {
      const { events } = await ask<{ events: { id: number }[] }>(`GET /events?since=${since}&limit=${pageSize}`);
      since = events.at(-1)?.id ?? since;
    },
    async create() {
      const like = pick(own).id;
      const { id, cid } = await ask<View>('POST /entities', scene.entity(random, like), 201);
      own.push({ id, cid, like });
      acknowledge({ versions: [[id, cid]] });
    },
    async batch() {
      const likes = Array.from({ length: batchSize }, () => pick(own).id);
      const entities = likes.map((like) => scene.entity(random, like));
      const { results } = await ask<{ results: View[] }>('POST /entities/batch', { entities }, 201);
      own.push(...results.map(({ id, cid }, i) => ({ id, cid, like: likes[i] })));
      acknowledge({ versions: results.map(({ id, cid }) => [id, cid]) });
    },
    async delete() {
      const [entity] = own.splice(Math.floor(random() * own.length), 1);
      if (entity) moved(entity, await ask<View>(`DELETE /entities/${entity.id}`, { expect_tip: entity.cid }));
    },
    async upload() {
      const bytes = Buffer.from(`${randomUUID()} `.repeat(1 + Math.floor(random() * 2000)));
      const facts = { key: randomUUID(), filename: 'page.txt', content_type: 'text/plain', size: bytes.length };
      const { id } = await ask<View>('POST /files', { ...facts, collection: scene.collection }, 201);
      const { cid } = await ask<View>(`POST /files/${id}/content`, bytes, 200, 'text/plain');
      acknowledge({ versions: [[id, cid]] });
      acknowledge({ file: cidOf(bytes) });
      files.push({ id, cid: cidOf(bytes) });
      if (files.length > 20) files.shift();
    },
    async download() {
      const file = files.length > 0 ? pick(files) : null;
      if (!file) return does.upload();
      const bytes = await ask<Buffer>(`GET /files/${file.id}/content`);
      if (cidOf(bytes) !== file.cid) throw new Error(`the bytes of ${file.id} are others`);
    },
  };

  let next: Kind | null = first;
  let due = performance.now() + random() * pause;
  while (!isOver()) {
    await sleep(Math.max(0, due - performance.now()));
    // What was late is not made up for: that would be another load than the one that is meant.
    due = Math.max(due, performance.now() - pause) + pause * (0.5 + random());
    const drawn = next ?? pick(hundred);
    next = null;
    const kind = own.length > mostOwn && (drawn === 'create' || drawn === 'batch') ? 'delete' : drawn;
    const begun = performance.now();
    try {
      await does[kind]();
      tally.answered(kind, performance.now() - begun);
    } catch (error) {
      tally.failed(`${kind}: ${error instanceof Error ? error.message : error}`);
    }
  }
}
