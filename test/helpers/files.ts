import { createHash } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { contentCid } from '../../src/server/blocks/encode.ts';
import { FileStore } from '../../src/server/blocks/file-store.ts';
import { filesFolder } from '../../src/server/store/network-folders.ts';
import { ask, type Person } from './callers.ts';
import { type Entity, ok } from './entities.ts';
import type { Answer, TestNode } from './node.ts';

export const text = { 'Content-Type': 'text/plain' };

export function cidOf(bytes: Uint8Array | string): string {
  return contentCid(createHash('sha256').update(bytes).digest());
}

/** The bytes that a node keeps for main. */
export function keptBy(node: Pick<TestNode, 'data'>): FileStore {
  return new FileStore(filesFolder(join(node.data, 'main')));
}

/** Deletes bytes that are kept, as a disk does that loses them. */
export async function lose(files: FileStore, cid: string): Promise<void> {
  const { folder, path } = files.place(cid);
  await rm(join(folder, path));
}

export type DeclaredFile = Entity & { upload_url: string; upload_expires_at: string };

/** A file that waits for the bytes of a text. */
export async function declare(node: TestNode, who: Person, bytes: string, body: object = {}): Promise<DeclaredFile> {
  const { length } = Buffer.from(bytes);
  const file = { key: `key of ${bytes}`, filename: 'page.txt', content_type: 'text/plain', size: length, ...body };
  return ok<DeclaredFile>(await ask(node, who, 'POST /files', file));
}

export function send(node: TestNode, who: Person, id: string, bytes: string): Promise<Answer> {
  return ask(node, who, `POST /files/${id}/content`, Buffer.from(bytes), text);
}

/** A file with the bytes of a text. */
export async function uploaded(node: TestNode, who: Person, bytes: string, body: object = {}): Promise<Entity> {
  return ok(await send(node, who, (await declare(node, who, bytes, body)).id, bytes));
}

export interface ContentAnswer {
  id: string;
  cid: string;
  prev_cid: string;
  content: { key: string; cid: string; size: number; content_type: string; filename?: string; uploaded_at: string };
}

/** Bytes under a key of an entity. */
export async function put(node: TestNode, who: Person, id: string, key: string, bytes: string): Promise<ContentAnswer> {
  const path = `/entities/${id}/content?key=${encodeURIComponent(key)}`;
  return ok<ContentAnswer>(await ask(node, who, `POST ${path}`, Buffer.from(bytes), text));
}
