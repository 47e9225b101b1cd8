import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { CodeTable, codeOf } from '../../../src/server/search/codes.ts';
import { VectorFinder } from '../../../src/server/search/vector-finder.ts';
import { blobOf, floats } from '../../../src/server/store/search/vector-functions.ts';
import { lookAmong } from '../../../src/server/store/search/word-hits.ts';
import { seeded } from '../../helpers/seeded.ts';
import { allVectors, indexed } from '../indexed.ts';
import { type Node, startNode } from '../processes.ts';
import { atLeastRow, atMostRow, loopRow, ratioRow } from '../report.ts';
import { measureBesideSearches, measureWritesBesideIndexing } from './search-beside.ts';
import { type Indexed, indexedAnew, subjectsOf, withoutSubjects } from './search-corpus.ts';
import { withEndpoint } from './search-elsewhere.ts';
import {
  measureElsewhere,
  measureKnown,
  measureLike,
  measureRanking,
  measureRecall,
  subjectQueries,
} from './search-quality.ts';

const k = 20;

/** Searches over the Tate's artworks: how fast, and how good. `data` holds them; its node is not running. */
export async function measureSearch(data: string): Promise<void> {
  const folder = join(data, 'main');
  const [database, index] = [join(folder, 'archeion.db'), join(folder, 'search.db')];
  const works = subjectsOf(database);
  for (const suffix of ['', '-wal', '-shm']) rmSync(`${index}${suffix}`, { force: true });
  const whole = indexedAnew(database, index);
  atLeastRow('indexing with the builtin embedder', whole.entities / whole.seconds, 'entities/s', 3000);
  measureVectors(whole);
  measureCodes(whole);
  measureRecall(whole, works);
  measureKnown(whole, database);
  whole.db.close();
  const names = subjectQueries(works).map(({ name }) => name);
  {
    await using node = await startNode(data);
    await measureHttp(node, names);
  }
  const bare = join(data, 'bare');
  const without = indexedAnew(withoutSubjects(database, bare), join(bare, 'search.db'));
  measureRanking(without, works);
  measureLike(without, works);
  const copy = join(bare, 'archeion.db');
  await withEndpoint(copy, join(bare, 'elsewhere'), (find, model) => measureElsewhere(without, works, find, model));
  without.db.close();
  rmSync(bare, { recursive: true });
}

/** What searches and indexing cost others. Fills `data` with what is no use for other measures. */
export async function measureBeside(data: string): Promise<void> {
  const names = subjectQueries(subjectsOf(join(data, 'main', 'archeion.db'))).map(({ name }) => name);
  {
    await using node = await startNode(data);
    await measureWritesBesideIndexing(node);
    await indexed(node);
    await allVectors(join(data, 'main', 'search.db'), () => true);
  }
  await measureBesideSearches(data, names);
}

/** One vector of the index after the other is looked for, by codes and by a scan of all vectors with sqlite-vec. */
function measureVectors({ db, entities }: Indexed): void {
  const finder = new VectorFinder(db);
  finder.refresh();
  const next = seeded(3);
  const rows = db.all<{ vector: Uint8Array }>(
    'SELECT vector FROM search.vec WHERE seq IN (SELECT value FROM json_each(?))',
    JSON.stringify(Array.from({ length: 60 }, () => 1 + Math.floor(next() * entities))),
  );
  const within = {};
  const coded = timed(rows, ({ vector }) => {
    const look = lookAmong(db, within, Number.POSITIVE_INFINITY);
    return finder.nearest(floats(vector), within, look, { limit: k, from: -1 }).map(({ key }) => key);
  });
  const scanned = timed(rows, ({ vector }) => {
    const sql = 'SELECT key FROM search.vec ORDER BY vec_distance_cosine(vector, ?), key LIMIT ?';
    return db.all<{ key: number }>(sql, vector, k).map(({ key }) => key);
  });
  const all = scanned.results.flatMap((keys, i) => keys.map((key) => coded.results[i]?.includes(key) === true));
  const per = (ms: number) => 1000 / ms;
  const base = { name: 'scan of floats', value: per(scanned.median) };
  ratioRow(`vector search, ${entities.toLocaleString('en-US')} vectors`, per(coded.median), 'searches/s', base, 5);
  atLeastRow('recall@20 of it against that scan', all.filter(Boolean).length / all.length, '', 0.97);
}

/** The vectors of the index many times over, each a little different. */
function measureCodes({ db }: Indexed): void {
  const count = 1_000_000;
  const next = seeded(9);
  const vectors = db
    .all<{ vector: Uint8Array }>('SELECT vector FROM search.vec ORDER BY seq LIMIT 10000')
    .map(({ vector }) => floats(vector));
  const dimensions = vectors[0]?.length ?? 0;
  const table = new CodeTable(dimensions);
  const codes = vectors.map((vector) => codeOf(vector, null));
  for (let key = 1; key <= count; key++) {
    const code = Uint32Array.from(codes[key % codes.length] as Uint32Array);
    for (let flips = 0; flips < 24; flips++) {
      const bit = Math.floor(next() * dimensions);
      code[bit >> 5] = (code[bit >> 5] as number) ^ (1 << (bit & 31));
    }
    table.put({ key, seq: key, type: 'artwork', code });
  }
  const looked = { type: () => true, keys: null };
  const asked = codes.filter((_, i) => i % 250 === 0);
  const scans = timed(asked, (code) => table.nearest(code, 400, looked));
  atMostRow('400 of 1,000,000 codes, median', scans.median, 'ms', 10);
  const keys = (scans.results[0] ?? []).slice(0, 400);
  const exact = timed(asked, () =>
    db.all(
      'SELECT v.key FROM json_each(?) k CROSS JOIN search.vec v ON v.seq = k.value ORDER BY vec_distance_cosine(v.vector, ?) LIMIT 20',
      JSON.stringify(keys.map((key) => 1 + (key % codes.length))),
      blobOf(vectors[0] as Float32Array),
    ),
  );
  atMostRow('with comparing these exactly, median', scans.median + exact.median, 'ms', 20);
}

async function measureHttp(node: Node, names: readonly string[]): Promise<void> {
  const search = async (query: string) => {
    const body = JSON.stringify({ query, types: ['artwork'], limit: k });
    const answer = await fetch(`${node.url}/search/entities`, { method: 'POST', headers: node.headers, body });
    if (answer.status !== 200) throw new Error(`the search was answered ${answer.status}`);
    await answer.arrayBuffer();
  };
  for (const name of names.slice(0, 30)) await search(name);
  node.reset();
  const times: number[] = [];
  for (const name of names) {
    const begun = performance.now();
    await search(name);
    times.push(performance.now() - begun);
  }
  times.sort((a, b) => a - b);
  atMostRow('hybrid search over HTTP, median', times[times.length >> 1] ?? 0, 'ms', 15);
  atMostRow('hybrid search over HTTP, p99', times[Math.floor(0.99 * times.length)] ?? 0, 'ms', 40);
  loopRow('searches', (await node.loopDelay()).p99);
}

function timed<T, R>(list: readonly T[], run: (one: T) => R): { median: number; results: R[] } {
  for (const one of list.slice(0, 5)) run(one);
  const times: number[] = [];
  const results = list.map((one) => {
    const begun = performance.now();
    const result = run(one);
    times.push(performance.now() - begun);
    return result;
  });
  return { median: times.toSorted((a, b) => a - b)[times.length >> 1] ?? 0, results };
}
