import { chmod, copyFile, open } from 'node:fs/promises';

// A file's bytes; its name is on the disk when its folder is (durable-folder.ts).

/** Brings a file's bytes to the disk. */
export async function syncFile(path: string): Promise<void> {
  // Not every system does so for who may only read it.
  const file = await open(path, 'r+');
  await file.sync().finally(() => file.close());
}

/** Shuts a new file to all but its owner, where its disk knows of owners, and brings it to the disk. */
export async function finishFile(path: string): Promise<void> {
  await chmod(path, 0o600).catch(() => undefined);
  await syncFile(path);
}

/** Copies a file, which may lie where nothing can be written. The copy is finished when this returns. */
export async function copyDurably(from: string, to: string): Promise<void> {
  await copyFile(from, to);
  await finishFile(to);
}
