import { createReadStream, existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Draft, sourceDigest } from '../../src/server/exchange/draft.ts';
import { createIntake, type IntakeCounts } from '../../src/server/exchange/intake.ts';
import { mapContext } from '../../src/server/exchange/map-record.ts';
import { parseMappingText } from '../../src/server/exchange/mapping.ts';
import { readRecords } from '../../src/server/exchange/records.ts';
import { mapRecords } from './streams.ts';

const data = resolve(import.meta.dirname, '../../../shared/data/tate');
const mapping = parseMappingText(readFileSync(new URL('../fixtures/tate.mapping.json', import.meta.url), 'utf8'));
const there = existsSync(resolve(data, 'artworks.ndjson.gz'));

/** Entities by type and relationships by predicate, each distinct. */
class Tally {
  entities = new Map<string, Set<string>>();
  relationships = new Map<string, Set<string>>();
  add({ id, type, relationships }: Draft): void {
    into(this.entities, type, id);
    for (const r of relationships) into(this.relationships, r.predicate, `${id} ${r.peer}`);
  }
  counts() {
    const sizes = (sets: Map<string, Set<string>>) => Object.fromEntries([...sets].map(([k, set]) => [k, set.size]));
    return { entities: sizes(this.entities), relationships: sizes(this.relationships) };
  }
}

function into(sets: Map<string, Set<string>>, key: string, member: string): void {
  const set = sets.get(key);
  if (set) set.add(member);
  else sets.set(key, new Set([member]));
}

describe.skipIf(!there)(`the Tate collection${there ? '' : ` (skipped: its data is not in ${data})`}`, () => {
  const intake = createIntake();
  const tally = new Tally();
  let artworks: { counts: IntakeCounts; tally: ReturnType<Tally['counts']> };
  let both: typeof artworks;
  const early: string[] = [];
  const met = new Set<string>();

  afterAll(() => intake.close());
  beforeAll(async () => {
    const context = mapContext('main', '01ARZ3NDEKTSV4RRFFQ69G5FAV');
    const read = async (file: string) => {
      const records = readRecords(createReadStream(resolve(data, file)), file);
      for await (const { drafts } of mapRecords(mapping, records, context))
        for (const draft of intake.sift(drafts).passed) {
          met.add(draft.id);
          for (const r of draft.relationships) if (!met.has(r.peer)) early.push(`${draft.id} ${r.predicate} ${r.peer}`);
          tally.add(draft);
        }
      return { counts: intake.counts(), tally: tally.counts() };
    };
    artworks = await read('artworks.ndjson.gz');
    both = await read('artists.ndjson.gz');
  }, 240_000);

  it('has these entities and relationships in the file of artworks alone', () => {
    expect(artworks).toEqual({
      counts: { records: 69_202, entities: 89_368, relationships: 454_975, repeated: 0 },
      tally: {
        entities: { artwork: 69_202, artist: 3_393, subject: 16_632, movement: 141 },
        relationships: { subject: 361_385, contributor: 69_709, broader: 16_616, movement: 7_265 },
      },
    });
  });

  it('has 146 artists more with the file of artists, where four ids stand twice', () => {
    expect(both.counts).toMatchObject({ records: 69_202 + 3_538, entities: 89_368 + 146, repeated: 4 });
    expect(both.tally.entities).toMatchObject({ artwork: 69_202, artist: 3_393 + 146, subject: 16_632 });
    expect(both.counts.relationships).toBe(Object.values(both.tally.relationships).reduce((a, b) => a + b));
  });

  it('gives every target before what points to it', () => {
    expect(early).toEqual([]);
  });

  it('gives the same first thousand artworks again', async () => {
    const digests = async () => {
      const found: string[] = [];
      const file = 'artworks.ndjson.gz';
      const context = mapContext('main', '01ARZ3NDEKTSV4RRFFQ69G5FAV');
      for await (const { source, drafts } of mapRecords(
        mapping,
        readRecords(createReadStream(resolve(data, file)), file),
        context,
      )) {
        for (const draft of drafts) found.push(`${draft.id} ${sourceDigest(draft)}`);
        if (source.line === 1000) break;
      }
      return found;
    };
    const first = await digests();
    expect(first.length).toBeGreaterThan(1000);
    expect(await digests()).toEqual(first);
  });
});

it('maps an artwork and an artist of the collection', async () => {
  const artist = { fc: 'Rebecca Horn', gender: 'Female', id: 2269, mda: 'Horn, Rebecca' };
  const movement = { era: { id: 415, name: '20th century post-1945' }, id: 1680, name: 'Body Art' };
  const lines = [
    {
      acno: 'T07842',
      contributors: [{ ...artist, displayOrder: 1, role: 'artist' }],
      id: 22,
      movements: [movement],
      subjects: {
        id: 1,
        name: 'subject',
        children: [{ id: 60, name: 'nature', children: [{ id: 12799, name: 'unicorn' }] }],
      },
      title: 'Unicorn',
    },
    { ...artist, movements: [movement], totalWorks: 5 },
  ];
  const drafts = await collect(lines);
  expect(drafts.map((d) => [d.type, d.sourceId, d.nested, d.properties])).toEqual([
    ['artist', '2269', true, { ...artist, label: 'Rebecca Horn' }],
    ['subject', '60', true, { id: 60, name: 'nature', label: 'nature' }],
    ['subject', '12799', true, { id: 12799, name: 'unicorn', label: 'unicorn' }],
    ['movement', '1680', true, { ...movement, label: 'Body Art' }],
    ['artwork', '22', false, { acno: 'T07842', id: 22, title: 'Unicorn', label: 'Unicorn' }],
    ['movement', '1680', true, { ...movement, label: 'Body Art' }],
    ['artist', '2269', false, { ...artist, totalWorks: 5, label: 'Rebecca Horn' }],
  ]);
  const [horn, nature, unicorn, body, work, , full] = drafts;
  expect(full?.id).toBe(horn?.id);
  expect(unicorn?.relationships).toEqual([
    { predicate: 'broader', peer: nature?.id, peer_type: 'subject', peer_label: 'nature' },
  ]);
  expect(work?.relationships).toEqual([
    {
      predicate: 'contributor',
      peer: horn?.id,
      peer_type: 'artist',
      peer_label: 'Rebecca Horn',
      properties: { role: 'artist', displayOrder: 1 },
    },
    { predicate: 'subject', peer: unicorn?.id, peer_type: 'subject', peer_label: 'unicorn' },
    { predicate: 'movement', peer: body?.id, peer_type: 'movement', peer_label: 'Body Art' },
  ]);
});

async function collect(records: unknown[]): Promise<Draft[]> {
  const source = (async function* () {
    for (const record of records) yield Buffer.from(`${JSON.stringify(record)}\n`);
  })();
  const found: Draft[] = [];
  for await (const { drafts } of mapRecords(
    mapping,
    readRecords(source, 'tate.ndjson'),
    mapContext('main', '01ARZ3NDEKTSV4RRFFQ69G5FAV'),
  ))
    found.push(...drafts);
  return found;
}
