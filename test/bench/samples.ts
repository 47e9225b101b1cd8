import { encodeManifest } from '../../src/server/blocks/encode.ts';
import { derivedId } from '../../src/server/model/ids.ts';
import type { Manifest } from '../../src/server/model/manifest.ts';
import { firstVersion, type Stamp } from '../../src/server/model/next-version.ts';
import { wireManifest } from '../../src/server/model/wire-manifest.ts';

/** The body of an ordinary record, about 1 kB, as a client posts it. */
export function sampleBody(n: number): { type: string; properties: Manifest['properties'] } {
  return {
    type: 'artwork',
    properties: {
      label: `Study of a harbour, number ${n}`,
      accession: `N${String(n).padStart(5, '0')}`,
      medium: 'Oil paint on canvas',
      dimensions: { width: 810 + (n % 50), height: 650, depth: 19, unit: 'mm' },
      acquired: 1900 + (n % 120),
      credit: 'Presented by the artist through the society of friends, with help of the national fund',
      tags: ['boat', 'harbour', 'sea', 'cliff', 'townscape'],
      description:
        'A small harbour seen from the quay in the early morning. Two fishing boats lie at anchor; a third one is under way. '.repeat(
          3,
        ),
    },
  };
}

export const sampleStamp: Stamp = {
  schema: 'arke/eidos@v1',
  ts: '2026-01-01T00:00:00.000Z',
  edited_by: { user_id: derivedId('main', 'bench', 'user'), method: 'manual' },
};

/** The same record as version 1 of an entity. */
export function sampleManifest(n: number): Manifest {
  const id = derivedId('main', 'bench', String(n));
  return firstVersion({ id, ...sampleBody(n), relationships: [] }, sampleStamp);
}

const manifest = sampleManifest(1);
/** What a read of it answers. */
export const sampleWire = wireManifest(encodeManifest(manifest).cid, manifest);
