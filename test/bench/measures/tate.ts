import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createIntake } from '../../../src/server/exchange/intake.ts';
import { mapContext } from '../../../src/server/exchange/map-record.ts';
import { parseMappingText } from '../../../src/server/exchange/mapping.ts';
import { readRecords } from '../../../src/server/exchange/records.ts';
import { derivedId } from '../../../src/server/model/ids.ts';
import type { Manifest } from '../../../src/server/model/manifest.ts';
import { firstVersion } from '../../../src/server/model/next-version.ts';
import { mapped } from '../../helpers/mapped.ts';
import { repository } from '../processes.ts';
import { sampleStamp } from '../samples.ts';

export const tateFile = join(repository, '../shared/data/tate/artworks.ndjson.gz');
export const tateMapping = join(repository, 'test/fixtures/tate.mapping.json');

/** The version 1 of everything that the Tate's artworks become, for the pipeline. */
export async function tateManifests(): Promise<Manifest[]> {
  const mapping = parseMappingText(await readFile(tateMapping, 'utf8'));
  const collection = derivedId('main', 'bench', 'collection');
  const context = mapContext('main', collection);
  const intake = createIntake();
  const manifests: Manifest[] = [];
  const inCollection = { predicate: 'collection', peer: collection, peer_type: 'collection' };
  for await (const { record } of readRecords(createReadStream(tateFile), tateFile))
    for (const { id, type, properties, relationships } of intake.sift(mapped(mapping, record, context)).passed)
      manifests.push(
        firstVersion({ id, type, properties, relationships: [inCollection, ...relationships] }, sampleStamp),
      );
  intake.close();
  return manifests;
}
