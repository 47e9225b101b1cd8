import {
  createWriteStream,
  existsSync,
  lstatSync,
  readlinkSync,
  realpathSync,
  type Stats,
  statSync,
  type WriteStream,
} from 'node:fs';
import { rm } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { UsageError } from '../config.ts';
import { nameWhole } from '../exchange/durable-file.ts';
import { partialBeside } from '../store/partial-name.ts';

/** Where an export is written. */
export interface ExportTarget {
  /** The file's own path, where `--out` may have named a link to it. */
  path: string;
  /** Whether it is this command's stdout, so that what it says goes elsewhere. */
  isStdout: boolean;
  /** What is left of an export that broke off, in words. */
  left: string;
  open(): WriteStream;
  /** Called once its bytes are all written, or with `false` where they are not all there. */
  close(whole: boolean): Promise<void>;
}

const stdout = /^\/(?:dev\/stdout|(?:dev|proc\/self)\/fd\/1)$/;

/**
 * Where `--out` leads: a file is written under another name until it is whole, also behind a link; pipes and devices are
 * written to as they are. @throws UsageError for a folder, and for a file in none
 */
export function exportTarget(out: string, pid: number): ExportTarget {
  const named = resolve(out);
  if (!existsSync(dirname(named))) throw new UsageError(`The folder of ${out} does not exist.`);
  const found = statOf(named, out);
  if (found?.isDirectory()) throw new UsageError(`${out} is a folder: name the file in it that is to be written.`);
  const isStdout = stdout.test(named);
  if (found && (isStdout || !found.isFile()))
    return direct(named, isStdout && found.isFile() ? 1 : undefined, isStdout);
  const path = found ? realpathSync.native(named) : linkedTo(named);
  if (!existsSync(dirname(path))) throw new UsageError(`${out} leads to ${path}, the folder of which does not exist.`);
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

/** `fd`: one that is open already, at a place that others go on from. */
function direct(path: string, fd: number | undefined, isStdout: boolean): ExportTarget {
  return {
    path,
    isStdout,
    left: 'What was written by then is not whole.',
    open: () => createWriteStream(path, fd === undefined ? { flags: 'w' } : { fd, autoClose: false }),
    close: () => Promise.resolve(),
  };
}

/** Where a link leads that leads to nothing yet. */
function linkedTo(path: string): string {
  let at = path;
  while (lstatSync(at, { throwIfNoEntry: false })?.isSymbolicLink()) at = resolve(dirname(at), readlinkSync(at));
  return at;
}
