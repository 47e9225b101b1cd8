import { randomUUID } from 'node:crypto';
import { open, readFile, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { syncFolder } from './blocks/durable-folder.ts';

/** Where a node runs, for the programs on the same machine; live while `<url>/health` answers the same instance. */
const nodeFile = z.object({ url: z.url(), pid: z.number(), instance: z.uuid(), version: z.string() });
export type NodeFile = z.infer<typeof nodeFile>;

/** What `<data>/node.json` says, or null where there is none that can be read. */
export async function readNodeFile(data: string): Promise<NodeFile | null> {
  const parsed = nodeFile.safeParse(await readJson(join(data, 'node.json')));
  return parsed.success ? parsed.data : null;
}

/** Writes `<data>/node.json`; disposing removes it. */
export async function writeNodeFile(data: string, node: NodeFile): Promise<AsyncDisposable> {
  const path = join(data, 'node.json');
  await writeWhole(path, node);
  return {
    async [Symbol.asyncDispose]() {
      await rm(path, { force: true });
    },
  };
}

const instanceFile = z.object({ instance: z.uuid() });

/** The node's own id, made at its first start. Call it with the folder locked. */
export async function instanceOf(data: string): Promise<string> {
  const path = join(data, 'instance.json');
  const parsed = instanceFile.safeParse(await readJson(path));
  if (parsed.success) return parsed.data.instance;
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
  const file = await open(`${path}.new`, 'w', 0o600);
  try {
    await file.writeFile(`${JSON.stringify(value)}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(`${path}.new`, path);
  await syncFolder(dirname(path));
}
