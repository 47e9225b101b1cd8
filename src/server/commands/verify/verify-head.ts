import { z } from 'zod';
import type { SignedHead } from '../../attest/head.ts';
import { type LogToday, logToday, readHead } from '../../attest/kept-head.ts';
import { hash, head } from '../../attest/shapes.ts';
import { attestFile, openLogReader } from '../../store/attest-log.ts';
import { storing } from '../../store/storage-error.ts';
import type { NodeClient } from '../parts/client.ts';
import { FailureError, RefusedError } from '../parts/failure.ts';
import { readJsonFile } from './checked-file.ts';

const maxHeadBytes = 64 * 1024;

/** A signed head that was kept in a file. @throws UsageError, FailureError */
export async function readKeptHead(file: string): Promise<SignedHead> {
  const read = readHead(await readJsonFile(file, { what: 'signed head', most: maxHeadBytes }));
  if ('holds' in read) throw new FailureError(`${file} is no signed head. ${read.text}`);
  return read;
}

/** What the log in a network's folder says today, which no node has open; see logToday. */
export function logInFolder(folder: string, size: number): LogToday | null {
  const log = openLogReader(attestFile(folder));
  try {
    return log && storing(() => log.snapshot((db) => logToday(db, size)));
  } finally {
    log?.close();
  }
}

const signingKey = z.object({ public_key: z.string() });
const consistency = z.object({ path: z.array(hash).max(128) });

/** The same of a node that runs. @throws FailureError */
export async function logOfNode(client: NodeClient, size: number): Promise<LogToday | null> {
  const newest = await newestOf(client);
  if (!newest) return null;
  const { public_key } = await answerOf(client, '/.well-known/signing-key', signingKey);
  const way = `/node/attestations/consistency?from=${size}&to=${newest.size}`;
  const path = size > newest.size ? null : (await answerOf(client, way, consistency)).path;
  return { head: newest, publicKey: public_key, path };
}

async function newestOf(client: NodeClient): Promise<SignedHead | null> {
  try {
    return await answerOf(client, '/node/attestations/head', head);
  } catch (error) {
    if (error instanceof RefusedError && error.status === 404) return null;
    throw error;
  }
}

async function answerOf<T>(client: NodeClient, path: string, shape: z.ZodType<T>): Promise<T> {
  const { data, success } = shape.safeParse(await client.ask('GET', path));
  if (!success) throw new FailureError(`The node's answer to ${path} cannot be read.`);
  return data;
}
