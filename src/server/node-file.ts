import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { open, readFile, rename, rm } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { dirname, join } from 'node:path';
import { json } from 'node:stream/consumers';
import { z } from 'zod';
import { syncFolder } from './blocks/durable-folder.ts';
import { UnavailableError } from './errors.ts';
import { http } from './node-http.ts';

/**
 * Where a node runs, for the programs on the same machine; live while `<url>/health` answers the same instance and the folder is
 * locked: the instance is no secret.
 */
const nodeFile = z.object({ url: z.url(), pid: z.number(), instance: z.uuid(), version: z.string() });
export type NodeFile = z.infer<typeof nodeFile>;

export const nodeFilePath = (data: string): string => join(data, 'node.json');

/** What `<data>/node.json` says, or null where there is none that can be read. */
export async function readNodeFile(data: string): Promise<NodeFile | null> {
  const parsed = nodeFile.safeParse(await readJson(nodeFilePath(data)));
  return parsed.success ? parsed.data : null;
}

/** Milliseconds. */
const answersWithin = 3000;

/** Whether the node that a node.json names runs; null where something is there and does not answer. */
export async function isAlive({ url, instance }: NodeFile): Promise<boolean | null> {
  const signal = AbortSignal.timeout(answersWithin);
  try {
    // By itself: what all requests share goes through a proxy where the environment says so, which has a loopback of its own.
    const request = http.request(new URL('/health', url), { agent: false, signal }).end();
    const [answer] = (await once(request, 'response')) as [IncomingMessage];
    request.on('error', () => undefined);
    const health = (await json(answer)) as { instance?: unknown };
    return health.instance === instance;
  } catch {
    return signal.aborted ? null : false;
  }
}

/** Writes `<data>/node.json`; disposing removes it. */
export async function writeNodeFile(data: string, node: NodeFile): Promise<AsyncDisposable> {
  const path = nodeFilePath(data);
  await writeWhole(path, node);
  return {
    async [Symbol.asyncDispose]() {
      // Where the disk can only be read by now it stays, and is taken for what a node that was killed has left.
      await rm(path, { force: true }).catch(() => undefined);
    },
  };
}

const instanceFile = z.object({ instance: z.uuid() });

/**
 * The node's own id, made at its first start. Call it with the folder locked.
 * @throws UnavailableError where it cannot be read or is damaged: with another one it would be another node to all that know it
 */
export async function instanceOf(data: string): Promise<string> {
  const path = join(data, 'instance.json');
  await readFile(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT')
      throw new UnavailableError(`The node's own id in ${path} cannot be read (${error.message}): make it readable.`);
  });
  const parsed = instanceFile.safeParse(await readJson(path));
  if (parsed.success) return parsed.data.instance;
  if (existsSync(path))
    throw new UnavailableError(
      `The node's own id in ${path} is damaged: put the file back; where it is lost, delete it, and the node is another one to all that know it.`,
    );
  const instance = randomUUID();
  await writeWhole(path, { instance });
  return instance;
}

async function readJson(path: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(path, 'utf8'));
  } catch {
    return undefined;
  }
}

/** A reader sees the old file or the new one, never half of it, also after a power cut; on disk when it returns. */
async function writeWhole(path: string, value: object): Promise<void> {
  const made = `${path}.new`;
  try {
    const file = await open(made, 'w', 0o600);
    try {
      await file.writeFile(`${JSON.stringify(value)}\n`);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(made, path);
  } catch (error) {
    await rm(made, { force: true });
    throw error;
  }
  await syncFolder(dirname(path));
}
