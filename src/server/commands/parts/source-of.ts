import { createReadStream } from 'node:fs';
import { resolve } from 'node:path';
import type { Readable } from 'node:stream';
import { UsageError } from '../../config.ts';
import type { Shell } from './shell.ts';

const stdin = /^\/(?:dev\/stdin|(?:dev|proc\/self)\/fd\/0)$/;

/** The bytes of a file that is named. This command's stdin is read as it is open: a socket cannot be opened once more. */
export function sourceOf(file: string, { input }: Pick<Shell, 'input'>): Readable {
  return input && stdin.test(resolve(file)) ? input() : createReadStream(file, { highWaterMark: 256 * 1024 });
}

/** What is said of a file that is not there; many programs call their stdin `-`. */
export function noFile(file: string): UsageError {
  return new UsageError(`There is no file ${file}${file === '-' ? ': what comes by a pipe is named /dev/stdin' : ''}.`);
}
