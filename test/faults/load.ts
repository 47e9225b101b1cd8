import { createHash, randomUUID } from 'node:crypto';
import { cidOf } from '../helpers/files.ts';
import { SampleState } from '../helpers/sample-archive.ts';
import type { Promised } from './promises.ts';

/** A node as its clients see it. */
export interface Target {
  url: string;
  key: string;
  /** The processor that jobs are given to, and the collections that things are made in. */
  klados: string;
  collections: string[];
}

interface View {
  id: string;
  cid: string;
}

/** An answer that no node should give, however it is asked. */
class WrongAnswerError extends Error {}

/** The bytes of an upload by its name, which stand for themselves wherever it goes on. */
export function bytesOf(name: string, size: number): Buffer {
  const line = createHash('sha256').update(name).digest('hex');
  return Buffer.alloc(size, line);
}

/** What a client knows of an entity that it has made; others leave it alone. */
interface Known extends View {
  deleted: boolean;
}

/**
 * One client of a mixed load: it goes on until the node does not answer any more, and says of each answer what it promises,
 * before it asks again. What it gives is what was wrong with the answers.
 */
export async function client(
  target: Target,
  { random, promise, isOver }: { random: () => number; promise: (promised: Promised) => void; isOver: () => boolean },
): Promise<string[]> {
  const mine: Known[] = [];
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)] as T;

  async function ask<T>(
    line: string,
    body?: object | Uint8Array,
    wanted = [200, 201, 202],
    more: Record<string, string> = {},
  ): Promise<T> {
    const [method = '', path = ''] = line.split(' ');
    const response = await fetch(`${target.url}${path}`, {
      method,
      headers: { authorization: `ApiKey ${target.key}`, 'content-type': 'application/json', ...more },
      body: body === undefined ? null : body instanceof Uint8Array ? Buffer.from(body) : JSON.stringify(body),
    });
    const text = await response.text();
    if (!wanted.includes(response.status))
      throw new WrongAnswerError(`${line} was answered ${response.status}: ${text.slice(0, 300)}`);
    return (text.includes('\n') ? { lines: text.trim().split('\n') } : JSON.parse(text)) as T;
  }

  const properties = () => ({ label: `work ${randomUUID()}`, text: 'some words of it '.repeat(1 + random() * 60) });
  const kept = (view: View, deleted = false): void => {
    promise({ versions: [[view.id, view.cid]] });
    const known = mine.find(({ id }) => id === view.id);
    if (known) Object.assign(known, { cid: view.cid, deleted });
    else mine.push({ id: view.id, cid: view.cid, deleted });
  };
  /** A version of mine, unless a sync has put the remote's in its place that says the same; that one is known then. */
  const change = async (known: Known, line: string, body: object, deleted = false): Promise<boolean> => {
    const expect_tip = known.cid;
    const answer = await ask<View & { details?: { actual: string } }>(line, { ...body, expect_tip }, [200, 409]);
    if (answer.details) known.cid = answer.details.actual;
    else kept(answer, deleted);
    return !answer.details;
  };
  /** It is somebody else's from now on. */
  const leave = (id: string): void => {
    mine.splice(
      mine.findIndex((known) => known.id === id),
      1,
    );
  };
  const living = () => mine.filter(({ deleted }) => !deleted);

  async function create(): Promise<void> {
    const body = { type: 'document', properties: properties(), collection: pick(target.collections) };
    kept(await ask<View>('POST /entities', body));
  }

  async function createMany(): Promise<void> {
    const entities = Array.from({ length: 20 }, () => ({ type: 'document', properties: properties() }));
    const body = { entities, default_collection: pick(target.collections) };
    const { results } = await ask<{ results: View[] }>('POST /entities/batch', body);
    promise({ versions: results.map(({ id, cid }) => [id, cid]) });
  }

  async function update(): Promise<void> {
    const known = pick(living());
    const { id, cid } = known;
    const peer = pick(living()).id;
    const relationships_add = peer === id ? [] : [{ predicate: 'knows', peer }];
    if (!(await change(known, `PUT /entities/${id}`, { properties: properties(), relationships_add }))) return;
    // With the tip as it was before.
    await ask(`PUT /entities/${id}`, { expect_tip: cid, properties: { lost: true } }, [409]);
  }

  async function add(): Promise<void> {
    const { id } = pick(living());
    const property = `added_${randomUUID().replaceAll('-', '')}`;
    const updates = [{ entity_id: id, properties: { [property]: 1 } }];
    await ask('POST /updates/additive', { updates });
    promise({ added: [id, property] });
    // Its tip moves at some later time.
    leave(id);
  }

  async function remove(): Promise<void> {
    const known = pick(living());
    await change(known, `DELETE /entities/${known.id}`, {}, true);
  }

  async function restore(): Promise<void> {
    const grave = mine.find(({ deleted }) => deleted);
    if (grave) await change(grave, `POST /entities/${grave.id}/restore`, {});
  }

  async function upload(): Promise<void> {
    const bytes = Buffer.from(`${randomUUID()} `.repeat(1 + Math.floor(random() * 3000)));
    const file = { key: randomUUID(), filename: 'page.txt', content_type: 'text/plain', size: bytes.length };
    const { id } = await ask<View>('POST /files', { ...file, collection: pick(target.collections) });
    const { cid } = await ask<View>(`POST /files/${id}/content`, bytes, [200], { 'content-type': 'text/plain' });
    promise({ versions: [[id, cid]] });
    promise({ file: cidOf(bytes) });
  }

  async function uploadInParts(): Promise<void> {
    const [name, size] = [randomUUID(), 1000 + Math.floor(random() * 200_000)];
    const file = { key: name, filename: 'page.txt', content_type: 'text/plain', size };
    const { id, upload_url } = await ask<View & { upload_url: string }>('POST /files', file);
    const path = new URL(upload_url).pathname;
    promise({ upload: path, name, size, come: 0, at: Date.now() });
    const bytes = bytesOf(name, size);
    const parts = 1 + Math.floor(random() * 4);
    for (let part = 0; part < parts; part++) {
      const [from, to] = [Math.floor((size * part) / parts), Math.floor((size * (part + 1)) / parts)];
      const headers = { 'content-range': `bytes ${from}-${to - 1}/${size}`, 'content-type': 'text/plain' };
      await ask(`PUT ${path}`, bytes.subarray(from, to), [200, 202], headers);
      promise({ upload: path, name, size, come: to, at: Date.now() });
    }
    promise({ file: cidOf(bytes) });
    const { cid: expect_tip } = await ask<View>(`GET /files/${id}`);
    const { cid } = await ask<View>(`POST /files/${id}/confirm-upload`, { expect_tip }, [200, 409]);
    if (cid) promise({ versions: [[id, cid]] });
  }

  async function importArchive(): Promise<void> {
    const state = new SampleState();
    for (let i = 0; i < 40 + random() * 400; i++) {
      const id = state.write(randomUUID(), 1 + (i % 3));
      if (i % 20 === 0) state.attach(id, Buffer.from(randomUUID().repeat(200)));
    }
    const archive = await state.export();
    const tips = [...state.chains].map(([id, chain]): [string, string] => [id, chain.at(-1)?.cid ?? '']);
    promise({ archive: tips, files: [...state.files.keys()] });
    // One at a time is imported.
    const answer = await ask<{ done?: object; lines?: string[] }>('POST /node/import-car', archive, [200, 503], {
      'content-type': 'application/vnd.ipld.car',
    });
    const last = answer.lines?.at(-1) ?? JSON.stringify(answer);
    if (last.includes('"done"')) promise({ versions: tips });
  }

  async function invoke(): Promise<void> {
    const [target_collection = '', target_entity] = [pick(target.collections), pick(living()).id];
    // Nobody deletes what a job works on.
    leave(target_entity);
    const body = { target_collection, target_entity, confirm: true };
    const { job_id } = await ask<{ job_id: string }>(`POST /kladoi/${target.klados}/invoke`, body);
    promise({ job: `/kladoi/${target.klados}/jobs/${job_id}/status` });
  }

  async function witness(): Promise<void> {
    const { size, root } = await ask<{ size?: number; root: string }>(
      'GET /node/attestations/head',
      undefined,
      [200, 404],
    );
    if (size !== undefined) promise({ head: size, root });
  }

  async function makeKey(): Promise<void> {
    promise({ key: (await ask<{ key: string }>('POST /users/me/keys', { label: 'a key' })).key });
  }

  const often = [create, create, createMany, update, update, update, add, remove, restore, upload, uploadInParts];
  const seldom = [importArchive, invoke, makeKey, witness];
  try {
    while (!isOver()) await (living().length < 5 ? create() : pick(random() < 0.06 ? seldom : often)());
    return [];
  } catch (error) {
    // A node that was killed hangs up, some say in the middle of an answer.
    return error instanceof WrongAnswerError ? [error.message] : [];
  }
}
