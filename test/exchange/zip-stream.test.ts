import { setTimeout } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { type PackedFile, zipped } from '../../src/server/exchange/packages/zip-stream.ts';
import { bytesOf } from './streams.ts';

describe('a ZIP that nobody takes any more', () => {
  it('ends where it is left between two files', async () => {
    const met: string[] = [];
    const between = Promise.withResolvers<void>();
    const goOn = Promise.withResolvers<void>();
    async function* second() {
      met.push('second read');
      yield* bytesOf(Buffer.alloc(4 * 1024 * 1024));
    }
    async function* files(): AsyncGenerator<PackedFile, void, undefined> {
      try {
        yield { path: 'first', chunks: bytesOf('one'), compress: false };
        between.resolve();
        await goOn.promise;
        yield { path: 'second', chunks: second(), compress: false };
      } finally {
        met.push('closed');
      }
    }
    const zip = zipped(files(), new Date(0));
    await zip.next();
    await between.promise;
    const left = zip.return();
    goOn.resolve();
    expect(await Promise.race([left, setTimeout(60_000, 'still there', { ref: false })])).toMatchObject({ done: true });
    expect(met).toEqual(['closed']);
  });
});
