import { StorageError } from '../../src/server/errors.ts';
import { MetEntities } from '../../src/server/store/imports/met-entities.ts';

/** A program that remembers entities until no temporary file may grow any more, and says why: `CODE REASON`. */
const met = new MetEntities();
try {
  for (let n = 0; n < 1_000_000; n++) met.set(`entity ${n}`, { mentioned: null, said: new Uint8Array(400) });
  process.stdout.write('it never ended');
} catch (error) {
  if (!(error instanceof StorageError)) throw error;
  process.stdout.write(`${error.code} ${error.reason}`);
}
