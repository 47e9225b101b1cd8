import { gzipSync } from 'node:zlib';
import { describe, expect, it, test } from 'vitest';
import { readRecords } from '../../src/server/exchange/records.ts';
import { bytesOf, recordsOf, refusal } from './streams.ts';

const megabyte = 1024 * 1024;

/** A source without end, and how much of it was read. */
function endless(start: string, more: string) {
  const read = { bytes: 0 };
  const source = (async function* () {
    yield Buffer.from(start);
    const chunk = Buffer.from(more.repeat(Math.ceil(megabyte / more.length)));
    for (;;) {
      read.bytes += chunk.length;
      yield chunk;
    }
  })();
  return { read, source };
}

describe('a bad record ends the reading with its file, line and reason', () => {
  const deep = (levels: number) => `{"a":${'['.repeat(levels)}${']'.repeat(levels)}}`;
  const cases: [file: string, content: string | Uint8Array, before: number, message: RegExp][] = [
    ['a.ndjson', '{"id":1}\n{"id":', 1, /^a\.ndjson, line 2: is not JSON: /],
    ['a.ndjson', '{}\n\n[1]', 1, /^a\.ndjson, line 3: is not a JSON object$/],
    ['a.ndjson', 'null', 0, /line 1: is not a JSON object/],
    ['a.ndjson', '{"a":"\0"}', 0, /line 1: holds a NUL byte/],
    ['a.ndjson', Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]), 0, /line 1: is not UTF-8 text/],
    ['a.ndjson', '{}\n\uFEFF{}', 1, /line 2: is not JSON/],
    ['a.ndjson', '{"a":{"b":9007199254740993}}', 0, /line 1: a\.b is beyond 2\^53-1/],
    ['a.ndjson', '{"a":[1,1e999]}', 0, /line 1: a\.1 is beyond 2\^53-1/],
    [
      'a.ndjson',
      '{"a":[0,{"b":-1e-400}]}',
      0,
      /line 1: a\.1\.b cannot be kept exactly as a number: write it as a text/,
    ],
    ['a.ndjson', '{"a":3.14159265358979323846}', 0, /line 1: a cannot be kept exactly/],
    ['a.json', `[{"a":0.${'0'.repeat(400)}1}]`, 0, /element 1: a cannot be kept exactly/],
    ['a.ndjson', '{"a":1}\n{"title":"A","title":"B"}', 1, /^a\.ndjson, line 2: title is there twice/],
    ['a.ndjson', '{"a":[{"b":1},{"b":{"c":"\\\\\\"{","b":1, "\\u0063" :2}}]}', 0, /line 1: a\.1\.b\.c is there twice/],
    ['a.json', '[{"a":1},{"":[],"":[]}]', 1, /element 2: .* is there twice/],
    ['a.ndjson', '{"a":"\\ud800"}', 0, /line 1: a holds an unpaired surrogate/],
    ['a.ndjson', deep(200), 0, /line 1: .*nested deeper than 200/],
    ['a.ndjson', deep(5_000_000), 0, /line 1: .*nested deeper than 200/],
    ['a.json', `[${deep(5_000_000)}]`, 0, /element 1: is nested deeper than 200/],
    ['a.json', '[{},{"a":1', 1, /^a\.json, element 2: the file ends before its array does$/],
    ['a.json', '', 0, /the file ends before its array does/],
    ['a.json', '[', 0, /the file ends/],
    ['a.json', '[{},', 1, /element 2: the file ends/],
    ['a.json', '[{},]', 1, /element 2: an element is missing/],
    ['a.json', '[,{}]', 0, /element 1: an element is missing/],
    ['a.json', '[{}] x', 1, /something follows the array/],
    ['a.json', '[{}}]', 0, /closed that was not opened/],
    ['a.json', '[{"a":[}]', 0, /element 1/],
    ['a.json', '[{} {}]', 0, /element 1: is not JSON/],
    ['a.json', '[{},5]', 1, /element 2: is not a JSON object/],
    ['a.json', '{"id":1}', 0, /is not a JSON array/],
    ['a.json', '[{"a":12345678901234567890}]', 0, /element 1: a is beyond/],
    ['a.csv', 'a,b\n1,2\n3\n', 1, /^a\.csv, line 3: /],
    ['a.csv', 'a,b\n1,2,3\n', 0, /line 2: /],
    ['a.csv', 'a,b\r\n1,"2\r\n3,4\r\n', 0, /line 2: has a quote that is closed nowhere/],
    ['a.csv', `a,b\n${'1,2\n'.repeat(5000)}1,"2"3\n`, 5000, /line 5002: has more in a cell than .*quote/],
    ['a.tsv', 'a\tb\n1\t2\n1\t12" disc\n', 1, /line 3: .*put the cell into quotes/],
    ['a.csv', 'a,a\n1,2\n', 0, /line 1: the header has the column "a" twice/],
    ['a.csv', 'a,,c\n1,2,3\n', 0, /line 1: column 2 has no name/],
    ['a.csv', `${Array.from({ length: 10_001 }, (_, i) => i).join(',')}\n`, 0, /more than 10000 columns/],
    ['a.csv', 'a\n1\n\0\n', 0, /NUL byte/],
    ['a.csv', Buffer.from([0x61, 0x0a, 0xc3, 0x28]), 0, /not UTF-8/],
    ['a.csv', Buffer.from([0x61, 0x0a, 0xc3]), 0, /not UTF-8/],
    ['a.csv', Buffer.from('\uFEFFa,b\n1,\ud83e', 'utf16le'), 0, /line 2: .* no text in utf-16le/],
    ['a', Buffer.from([0x7f, 0x45, 0x4c, 0x46, 0, 1]), 0, /is not text/],
    ['a.csv.gz', 'a,b\n1,2', 0, /a\.csv\.gz: can't be unpacked/],
    ['a.csv.gz', '', 0, /a\.csv\.gz: can't be unpacked/],
    ['a.ndjson.gz', gzipSync('{}\n'.repeat(100)).subarray(0, 20), 100, /can't be unpacked/],
  ];
  for (const [file, content, before, message] of cases)
    it(`${file}: ${JSON.stringify(content.toString().slice(0, 30))} ${message.source}`, async () => {
      for (const size of [1 << 16, ...(content.length < 200 ? [1, 3] : [])]) {
        const refused = await refusal(bytesOf(content, size), file);
        expect(refused.message).toMatch(message);
        expect(refused.before).toBeLessThanOrEqual(before);
        if (/json$/.test(file) || /quote/.test(message.source)) expect(refused.before).toBe(before);
      }
    });
});

test.each([
  ['\0\n', /NUL byte/],
  ['1,"2"3\n\0', /NUL byte/],
  [Buffer.from([0x31, 0xff]), /not UTF-8/],
])('what was read before %j comes, but for the row that may go on there', async (last, message) => {
  const rows = async function* () {
    yield Buffer.from(`a,b\n${'1,2\n'.repeat(5000)}`);
    yield Buffer.from(last);
  };
  const refused = await refusal(rows(), 'a.csv');
  expect(refused.message).toMatch(message);
  expect(refused.before).toBeGreaterThanOrEqual(4999);
});

test('of two wrong places the first is told', async () => {
  const parts = async function* (fails: boolean) {
    yield Buffer.from('a,b\n1,2\n1,"2"3\n1,2\n');
    if (fails) throw new Error('The disk failed.');
    yield Buffer.from([0xff]);
  };
  for (const fails of [false, true]) {
    const refused = await refusal(parts(fails), 'a.csv');
    expect(refused.message).toMatch(/line 3: .*quote/i);
    expect(refused.before).toBe(1);
  }
});

describe('what never ends is stopped at the limit of a record', () => {
  const cases: [file: string, start: string, more: string][] = [
    ['a.ndjson', '{"a":"', 'x'],
    ['a.ndjson', '', ' '],
    ['a.json', '[{"a":"', 'x'],
    ['a.csv', 'a,b\n"', 'x'],
    ['a.csv', '', 'x'],
    ['a.csv', 'a\n', ','],
  ];
  for (const [file, start, more] of cases)
    it(`${file}: ${JSON.stringify(start + more)}...`, async () => {
      const { read, source } = endless(start, more);
      expect((await refusal(source, file)).message).toMatch(/is longer than 32 MiB|has more than 10000 columns/);
      expect(read.bytes).toBeLessThan(48 * megabyte);
    });

  it('in a packed file too, whatever it unpacks to', async () => {
    const bomb = gzipSync(Buffer.alloc(200 * megabyte, 'x'));
    expect((await refusal(bytesOf(bomb), 'a.ndjson.gz')).message).toMatch(/line 1: is longer than 32 MiB/);
  });

  it('while a record of just under 32 MiB is read', async () => {
    const text = 'x'.repeat(32 * megabyte - 100);
    expect((await recordsOf(`{"a":"${text}"}\n{}`, 'a.ndjson')).length).toBe(2);
    expect((await recordsOf(`[{"a":"${text}"},{}]`, 'a.json')).length).toBe(2);
    expect((await recordsOf(`a\n${text}\ny`, 'a.csv')).length).toBe(2);
  });
});

it('an error of the source itself passes unchanged', async () => {
  for (const file of ['a.ndjson', 'a.json', 'a.csv', 'a.csv.gz']) {
    const failure = Object.assign(new Error('the disk is gone'), { code: 'EIO' });
    const source = (async function* () {
      yield file.endsWith('.gz')
        ? gzipSync('a,b\n1,2\n').subarray(0, 12)
        : Buffer.from(file === 'a.json' ? '[{}' : 'a');
      throw failure;
    })();
    const read = async () => {
      for await (const _ of readRecords(source, file));
    };
    await expect(read()).rejects.toBe(failure);
  }
});
