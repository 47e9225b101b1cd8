import { expect, test } from 'vitest';
import { encodeHistoric, encodeManifest } from '../../src/server/blocks/encode.ts';
import { derivedId } from '../../src/server/model/ids.ts';
import type { JsonObject } from '../../src/server/model/manifest.ts';
import { nextVersion, SampleState } from '../helpers/sample-archive.ts';

const id = derivedId('main', 'many');
const many = nextVersion(id, null, { list: Array.from({ length: 4_000_000 }, () => 1) });

test('a version has no more values than an import of an archive reads', () => {
  expect(() => encodeManifest(many)).toThrow(
    expect.objectContaining({
      issues: [{ path: [], message: expect.stringMatching(/^the new version has more than 4,000,000 values/) }],
    }),
  );
  const texts = Array.from({ length: 2000 }, () => 'x'.repeat(10_000));
  expect(encodeManifest(nextVersion(id, null, { texts })).bytes.length).toBeGreaterThan(20_000_000);
});

test('an export names the entity of a version from before that has more', async () => {
  const state = new SampleState();
  state.write('few');
  state.chains.set(id, [encodeHistoric(many as unknown as JsonObject)]);
  const reason = expect.stringMatching(
    new RegExp(`^Version baf\\w+ of ${id} has more than 4,000,000 values.* history`),
  );
  await expect(state.export()).rejects.toMatchObject({ reason });
});
