import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readRecords } from '../../src/server/exchange/records.ts';
import { bytesOf, recordsOf } from './streams.ts';

const works = [
  { id: 4, title: 'Zebra and Parachute' },
  { id: 5, title: 'The "Wool", shop\n[1939]' },
  { id: 22, title: 'Ünicorn 🦄 \\' },
];
const ndjson = works.map((w) => JSON.stringify(w)).join('\n');
const csv = 'id,title\n4,Zebra and Parachute\n5,"The ""Wool"", shop\n[1939]"\n22,Ünicorn 🦄 \\\n';
const texts = works.map((w) => ({ id: String(w.id), title: w.title }));

describe('the formats', () => {
  const files: [string, string, unknown[]][] = [
    ['works.ndjson', ndjson, works],
    ['works.JSONL', `\n${ndjson.replaceAll('\n', '\r\n\r\n')}\r\n`, works],
    ['works.json', JSON.stringify(works), works],
    ['works.json', JSON.stringify(works, null, 2), works],
    ['works.csv', csv, texts],
    ['works.csv', csv.replaceAll(/(?<!shop)\n/g, '\r\n'), texts],
    ['works.csv', 'id,title\r4,Zebra and Parachute\r', texts.slice(0, 1)],
    ['works.csv', csv.replaceAll(',', ';').replace('"; shop', '", shop'), texts],
    ['works.tsv', 'id, old\ttitle\n4\t[Zebra]\n', [{ 'id, old': '4', title: '[Zebra]' }]],
    ['works.tsv', '[id]\ttitle\n4\tZebra\n', [{ '[id]': '4', title: 'Zebra' }]],
    ['works.tsv', 'id;title\n4;Zebra\n', [{ id: '4', title: 'Zebra' }]],
    ['works.csv', 'id\ttitle\n4\tZebra, and; Parachute\n', [{ id: '4', title: 'Zebra, and; Parachute' }]],
    ['works.csv', '"id, of the work";title\n4;Zebra\n', [{ 'id, of the work': '4', title: 'Zebra' }]],
    ['works.csv', '\r\n\r\nid;title\r\n4;a,b,c\r\n', [{ id: '4', title: 'a,b,c' }]],
    ['works.csv', 'id,a;b\n4,1;2\n', [{ id: '4', 'a;b': '1;2' }]],
    ['works', ndjson, works],
    ['works', ` \n${JSON.stringify(works)}`, works],
    ['works.txt', csv, texts],
  ];
  for (const [file, content, expected] of files)
    it(`reads ${file} (${JSON.stringify(content.slice(0, 12))}), packed or not, in chunks of any size`, async () => {
      for (const size of [1, 2, 3, 7, 64, 1 << 16]) {
        expect(await recordsOf(content, file, size)).toEqual(expected);
        expect(await recordsOf(`\uFEFF${content}`, file, size)).toEqual(expected);
        expect(await recordsOf(gzipSync(content), `${file}.gz`, size)).toEqual(expected);
      }
      expect(await recordsOf(gzipSync(content), file)).toEqual(expected);
    });

  it('numbers lines and elements from 1, a CSV row by the line where it ends', async () => {
    const linesOf = async (content: string, file: string) => {
      const lines = [];
      for await (const { line, place } of readRecords(bytesOf(content), file)) lines.push([line, place]);
      return lines;
    };
    expect(await linesOf('{}\n\n{}', 'a.ndjson')).toEqual([
      [1, 'a.ndjson, line 1'],
      [3, 'a.ndjson, line 3'],
    ]);
    expect(await linesOf('[{},\n\n{}]', 'a.json')).toEqual([
      [1, 'a.json, element 1'],
      [2, 'a.json, element 2'],
    ]);
    const crlf = csv.replaceAll('\n', '\r\n');
    for (const table of [csv, crlf, csv.replaceAll('\n', '\r')])
      expect((await linesOf(table, 'a.csv')).map(([line]) => line)).toEqual([2, 4, 5]);
    const at = (line: number) => ({ issues: [{ message: expect.stringMatching(`^a\\.csv, line ${line}: `) }] });
    const short = linesOf(`"of\r\n two lines",b\r\n${crlf.slice(crlf.indexOf('4'))}one\r\n`, 'a.csv');
    await expect(short).rejects.toMatchObject(at(7));
    await expect(linesOf(`${crlf}23,"a"b\r\n`, 'a.csv')).rejects.toMatchObject(at(6));
  });

  it('reads nothing from an empty array, an empty table and an empty file of lines', async () => {
    for (const [content, file] of [
      [' [ ] ', 'a.json'],
      ['id,title\n', 'a.csv'],
      ['', 'a.csv'],
      ['', 'a.ndjson'],
      ['\n \r\n', 'a.ndjson'],
      ['', 'a'],
    ] as const)
      expect(await recordsOf(content, file)).toEqual([]);
  });

  it('keeps names of the prototype as ordinary members', async () => {
    const odd = '{"__proto__":{"polluted":1},"constructor":2}';
    for (const [content, file] of [
      [odd, 'a.ndjson'],
      [`[${odd}]`, 'a.json'],
      ['__proto__,constructor\nx,y', 'a.csv'],
    ] as const) {
      const [record] = await recordsOf(content, file);
      expect(Object.keys(record ?? {})).toEqual(['__proto__', 'constructor']);
      expect(Object.getPrototypeOf(record)).toBe(Object.prototype);
    }
    expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false);
  });

  it('takes one name in several objects, and texts that look like names', async () => {
    const record = {
      a: { a: [{ a: 1 }, { a: '"a":' }], b: 'a' },
      b: ['a', 'a', '\\', '"'],
      '"': 1,
      '\\': 2,
      c: { a: 1 },
    };
    for (const indent of [0, 2])
      expect(await recordsOf(JSON.stringify([record], null, indent), 'a.json')).toEqual([record]);
  });

  it('takes numbers as other programs print them', async () => {
    const text = '{"a":[0.10000000000000001,-0.30000000000000004,3.1415926535897932 ,1.50E+2,0e-999],"b":1}';
    expect(await recordsOf(text, 'a.ndjson')).toEqual([{ a: [0.1, -0.30000000000000004, Math.PI, 150, 0], b: 1 }]);
  });

  it('gives back any objects written as an array or as lines', async () => {
    const object = fc.dictionary(fc.string({ unit: 'binary' }), fc.jsonValue({ maxDepth: 4 }));
    const storable = fc.array(object).map((list) => JSON.parse(JSON.stringify(list)));
    await fc.assert(
      fc.asyncProperty(storable, fc.integer({ min: 1, max: 20 }), fc.nat(3), async (list, size, indent) => {
        const unsafe = JSON.stringify(list).match(/-?\d+(\.\d+)?e\+\d+|\d{16,}/);
        fc.pre(!unsafe);
        expect(await recordsOf(JSON.stringify(list, null, indent), 'a.json', size)).toEqual(list);
        const lines = list.map((o: unknown) => JSON.stringify(o)).join('\n');
        expect(await recordsOf(lines, 'a.ndjson', size)).toEqual(list);
      }),
    );
  });

  it('lets go of the source when the reader stops early', async () => {
    for (const [file, content] of [
      ['a.ndjson', ndjson],
      ['a.csv', csv],
      ['a.ndjson.gz', gzipSync(ndjson)],
    ] as const) {
      let closed = 0;
      const source = (async function* () {
        try {
          yield* bytesOf(content, 16);
          await new Promise((resolve) => setImmediate(resolve));
        } finally {
          closed++;
        }
      })();
      for await (const _ of readRecords(source, file)) break;
      await source.return(undefined);
      expect(closed, file).toBe(1);
    }
  });
});
