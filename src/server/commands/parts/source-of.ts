import { createReadStream } from 'node:fs';
import { resolve } from 'node:path';
import type { Readable } from 'node:stream';
import type { Shell } from './shell.ts';

const stdin = /^\/(?:dev\/stdin|(?:dev|proc\/self)\/fd\/0)$/;

/** The bytes of a file that is named. This command's stdin is read as it is open: a socket cannot be opened once more. */
export function sourceOf(file: string, { input }: Pick<Shell, 'input'>): Readable {
  return input && stdin.test(resolve(file)) ? input() : createReadStream(file, { highWaterMark: 256 * 1024 });
}
