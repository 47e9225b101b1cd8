import { basename, dirname, join } from 'node:path';

/** Signs of a name that are kept: of four bytes each they leave room for what comes behind in the 255 bytes that a name may have. */
const kept = 50;

/** Where in the same folder that is made which gets the name of `path` when it is whole; `mark` tells it from others. */
export function partialBeside(path: string, mark: string): string {
  return join(dirname(path), `${[...basename(path)].slice(0, kept).join('')}.${mark}.partial`);
}
