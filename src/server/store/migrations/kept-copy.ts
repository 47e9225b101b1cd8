import { closeSync, fsyncSync, openSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type Database from 'better-sqlite3';
import { syncFolderNow } from '../../blocks/durable-folder.ts';

/** Copies a database as it is before a migration to `<file>.before-<version>`; whole and on disk when this returns. */
export function keepCopy(db: Database.Database, file: string, version: number): void {
  const kept = `${file}.before-${version}`;
  const partial = `${kept}.partial`;
  removePartial(partial);
  try {
    db.prepare('VACUUM INTO ?').run(partial);
    sync(partial);
    renameSync(partial, kept);
  } catch (error) {
    // Where the disk is full, it would stay so.
    removePartial(partial);
    throw error;
  }
  syncFolderNow(dirname(file));
}

function removePartial(partial: string): void {
  for (const path of [partial, `${partial}-journal`]) rmSync(path, { force: true });
}

/** Removes the copies made before `started` (epoch ms): the migrated database has started well once more. */
export function dropCopies(file: string, started = performance.timeOrigin): void {
  const folder = dirname(file);
  for (const name of readdirSync(folder)) {
    if (!name.startsWith(`${basename(file)}.before-`)) continue;
    const path = join(folder, name);
    if (statSync(path).mtimeMs < started) rmSync(path, { force: true });
  }
}

function sync(path: string): void {
  const file = openSync(path, 'r+');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
