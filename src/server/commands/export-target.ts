import { createWriteStream, lstatSync, readlinkSync, realpathSync, type Stats, statSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import type { Writable } from 'node:stream';
import { UsageError } from '../config.ts';
import { nameWhole } from '../exchange/whole-file.ts';
import { partialBeside } from '../store/partial-name.ts';
import type { Shell } from './parts/shell.ts';

/** Where an export is written. */
export interface ExportTarget {
  /** The file's own path, where `--out` may have named a link to it. */
  path: string;
  /** Whether it is this command's stdout, so that what it says goes elsewhere. */
  isStdout: boolean;
  /** What is left of an export that broke off, in words. */
  left: string;
  open(): Writable;
  /** Called once its bytes are all written, or with `false` where they are not all there. */
  close(whole: boolean): Promise<void>;
}

const stdout = /^\/(?:dev\/stdout|(?:dev|proc\/self)\/fd\/1)$/;

/**
 * Where `--out` leads: a file is written under another name until it is whole, also behind a link; pipes and devices are
 * written to as they are. @throws UsageError for a folder, and for a file in none
 */
export function exportTarget(out: string, { pid, output }: Pick<Shell, 'pid' | 'output'>): ExportTarget {
  // As of a variable that is not set.
  if (out === '') throw new UsageError('--out must name a file.');
  if (out === '-') throw new UsageError('--out: stdout is named /dev/stdout, and a file of this name ./-');
  const named = resolve(out);
  if (!statOf(dirname(named), out)?.isDirectory()) throw new UsageError(`The folder of ${out} does not exist.`);
  const found = statOf(named, out);
  if (found?.isDirectory()) throw new UsageError(`${out} is a folder: name the file in it that is to be written.`);
  // A socket cannot be opened once more, and what is in a file already stands: it is open, and gone on with.
  if (output && stdout.test(named)) return direct(named, true, output);
  if (found && !found.isFile()) return direct(named, false, () => createWriteStream(named));
  const path = found ? realpathSync.native(named) : linkedTo(named);
  if (!statOf(dirname(path), out)?.isDirectory())
    throw new UsageError(`${out} leads to ${path}, the folder of which does not exist.`);
  const partial = partialBeside(path, String(pid));
  return {
    path,
    isStdout: false,
    left: 'Nothing was written.',
    open: () => createWriteStream(partial, { mode: 0o600 }),
    close: (whole) => (whole ? nameWhole(partial, path) : rm(partial, { force: true })),
  };
}

function statOf(path: string, out: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch (error) {
    // As of links in a circle.
    throw new UsageError(`${out} cannot be written (${(error as Error).message}).`);
  }
}

function direct(path: string, isStdout: boolean, open: () => Writable): ExportTarget {
  return { path, isStdout, left: 'What was written by then is not whole.', open, close: () => Promise.resolve() };
}

/** Where a link leads that leads to nothing yet. */
function linkedTo(path: string): string {
  let at = path;
  while (isLink(at)) at = resolve(dirname(at), readlinkSync(at));
  return at;
}

function isLink(path: string): boolean {
  try {
    return lstatSync(path).isSymbolicLink();
  } catch {
    // Nothing is there, also where a file stands in the place of a folder.
    return false;
  }
}
