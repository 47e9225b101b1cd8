import { createReadStream, existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { createGunzip } from 'node:zlib';
import { importer } from '../helpers/imports.ts';
import type { TestNode } from '../helpers/node.ts';

const published = resolve(import.meta.dirname, '../../../shared/data/tate/artworks.ndjson.gz');
const mapping = JSON.parse(readFileSync(new URL('../fixtures/tate.mapping.json', import.meta.url), 'utf8'));

/** A collection `Tate` of some artworks with their artists and subjects: published ones, where they are at hand. */
export async function seedArtworks(node: TestNode, count: number): Promise<string> {
  const lines = existsSync(published) ? await firstLines(published, count) : Array.from({ length: count }, invented);
  const { collection } = await importer(node).run(
    { collection: 'Tate', mapping },
    { 'artworks.ndjson': lines.join('\n') },
  );
  return collection.id;
}

/** A collection of many small entities: `Item 00000` and so on, each with its number and a colour. */
export async function seedItems(node: TestNode, count: number): Promise<string> {
  const colours = ['red', 'green', 'blue', 'white'];
  const lines = Array.from({ length: count }, (_, i) =>
    JSON.stringify({ id: i, label: `Item ${String(i).padStart(5, '0')}`, number: i, colour: colours[i % 4] }),
  );
  const simple = { records: [{ type: 'item', id: 'id', label: 'label' }] };
  const { collection } = await importer(node).run(
    { collection: 'Items', mapping: simple },
    { 'items.ndjson': lines.join('\n') },
  );
  return collection.id;
}

/** Artworks as a table, as a museum's spreadsheet has them: subjects in one cell, nothing where nothing is known. */
export async function artworksTable(count: number): Promise<string> {
  const lines = existsSync(published) ? await firstLines(published, count) : Array.from({ length: count }, invented);
  const head = 'acno,title,artist,acquisitionYear,dateText,classification,medium,subjects';
  const rows = lines.map((line) => {
    const { acno, title, all_artists, acquisitionYear, dateText, classification, medium, subjects } = JSON.parse(line);
    const cells = [acno, title, all_artists, acquisitionYear, dateText, classification, medium];
    return [...cells, leaves(subjects).join('; ')]
      .map((cell) => `"${String(cell ?? '').replaceAll('"', '""')}"`)
      .join();
  });
  return `${[head, ...rows].join('\r\n')}\r\n`;
}

interface Subject {
  name: string;
  children?: Subject[];
}

function leaves(subject: Subject | undefined): string[] {
  if (!subject) return [];
  const names = subject.children ? subject.children.flatMap(leaves) : [subject.name.replaceAll(';', ',')];
  return [...new Set(names)];
}

async function firstLines(file: string, count: number): Promise<string[]> {
  const lines: string[] = [];
  const input = createReadStream(file).pipe(createGunzip());
  for await (const line of createInterface({ input })) {
    lines.push(line);
    if (lines.length === count) break;
  }
  input.destroy();
  return lines;
}

/** A record of the same form as the published ones. */
function invented(_: unknown, i: number): string {
  const artist = {
    id: 500 + (i % 7),
    fc: `Painter ${i % 7}`,
    mda: `${i % 7}, Painter`,
    role: 'artist',
    displayOrder: 1,
  };
  const leaf = { id: 9000 + (i % 44), name: `${['harbour', 'cliff', 'boat', 'tree'][i % 4]} ${i % 44}` };
  return JSON.stringify({
    acno: `T${String(i).padStart(5, '0')}`,
    id: i + 1,
    title: `Landscape with a Harbour ${i}`,
    acquisitionYear: 1850 + (i % 150),
    all_artists: artist.fc,
    classification: i % 3 ? 'on paper, unique' : 'painting',
    medium: 'Oil paint on canvas',
    dateText: i % 5 ? '1929' : 'c.1929',
    contributors: [artist],
    subjects: { id: 1, name: 'subject', children: [{ id: 60, name: 'nature', children: [leaf] }] },
  });
}
