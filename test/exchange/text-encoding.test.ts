import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { inUtf8, type TextEncoding, textEncodings } from '../../src/server/exchange/text-encoding.ts';
import { bytesOf, recordsOf } from './streams.ts';

async function textOf(bytes: Uint8Array, encoding: TextEncoding, size?: number): Promise<string> {
  const parts = await Array.fromAsync(inUtf8(bytesOf(bytes, size), encoding, 'a.csv'));
  return Buffer.concat(parts).toString('utf8');
}

/** What each can say that plain letters cannot, and the bytes of that. */
const written: [TextEncoding, text: string, hex: string][] = [
  ['windows-1250', 'Dvořák, Łódź', '44766ff8e16b2c20a3f3649f'],
  ['windows-1251', 'Репин', 'd0e5efe8ed'],
  ['windows-1252', '“Müller” – 5 €', '934dfc6c6c657294209620352080'],
  ['windows-1253', 'Ελλάδα', 'c5ebebdce4e1'],
  ['iso-8859-2', 'Dvořák, Łódź', '44766ff8e16b2c20a3f364bc'],
  ['iso-8859-15', 'Müller, 5 €', '4dfc6c6c65722c203520a4'],
  ['macintosh', 'Café “Zoë”', '4361668e20d25a6f91d3'],
  ['shift_jis', '北斎', '966b8dd6'],
  ['gb18030', '齐白石 🦄', 'c6ebb0d7caaf209530d836'],
  ['big5', '張大千', 'b169a46aa464'],
  ['euc-kr', '김환기', 'b1e8c8afb1e2'],
  ['utf-16be', 'Ünicorn 🦄', '00dc006e00690063006f0072006e0020d83edd84'],
  ['utf-16le', 'Ünicorn 🦄', 'dc006e00690063006f0072006e0020003ed884dd'],
  ['utf-8', 'Ünicorn 🦄', 'c39c6e69636f726e20f09fa684'],
];

const utf16 = {
  'utf-16le': (text: string) => Buffer.from(text, 'utf16le'),
  'utf-16be': (text: string) => Buffer.from(text, 'utf16le').swap16(),
};

describe('a table in another encoding', () => {
  it.each(written)(
    'in %s is read as it was written, in chunks of any size, packed or not',
    async (encoding, text, hex) => {
      const ascii = (part: string) =>
        encoding in utf16 ? utf16[encoding as keyof typeof utf16](part) : Buffer.from(part);
      const bytes = Buffer.concat([ascii('id;name\r\n1;'), Buffer.from(hex, 'hex'), ascii('\r\n')]);
      for (const size of [1, 2, 3, 7, 1 << 16])
        expect(await recordsOf(bytes, 'a.csv', size, encoding)).toEqual([{ id: '1', name: text }]);
      expect(await recordsOf(gzipSync(bytes), 'a.csv.gz', undefined, encoding)).toHaveLength(1);
    },
  );

  it('is tried in each of them', () => {
    expect(new Set(written.map(([encoding]) => encoding))).toEqual(new Set(textEncodings));
  });

  it('says by its mark what it is in, whatever else is said', async () => {
    const text = '\uFEFFid\nZoë 🦄';
    for (const bytes of [Buffer.from(text), utf16['utf-16le'](text), utf16['utf-16be'](text)])
      for (const said of textEncodings)
        for (const size of [1, 2, 64]) expect(await textOf(bytes, said, size)).toBe('id\nZoë 🦄');
  });

  it('is refused where it is UTF-8, which would be other text then', async () => {
    const message = 'a.csv: is UTF-8 text, not windows-1252';
    const late = `id;name\n${'1;Zoe\n'.repeat(50_000)}2;Zoë\n`;
    for (const text of ['id;name\n1;Zoë\n', `${'a'.repeat(65_000)}ë`, late, `${late}${'3;Noë\n'.repeat(50_000)}`])
      for (const size of [1000, 1 << 16])
        await expect(textOf(Buffer.from(text), 'windows-1252', size)).rejects.toMatchObject({ issues: [{ message }] });
    for (const text of ['id;name\n1;Zoë\n', 'id;name\n1;Zoe\n'])
      for (const said of ['utf-16le', 'utf-16be'] as const)
        await expect(textOf(Buffer.from(text), said)).rejects.toMatchObject({
          issues: [{ message: `a.csv: is UTF-8 text, not ${said}` }],
        });
    expect(await textOf(Buffer.from('id;name\n1;Zoe\n'), 'windows-1252')).toBe('id;name\n1;Zoe\n');
  });

  it('is any text, whatever it is cut into', async () => {
    const unicode = fc.string({ unit: 'binary', maxLength: 40 }).filter((text) => !text.startsWith('\ufeff'));
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom('utf-16le' as const, 'utf-16be' as const),
        unicode,
        fc.integer({ min: 1, max: 9 }),
        async (encoding, text, size) => {
          expect(await textOf(utf16[encoding](text), encoding, size)).toBe(text);
        },
      ),
    );
  });

  const wrong: [TextEncoding, Uint8Array][] = [
    ['shift_jis', Buffer.from([0x61, 0x62, 0x0a, 0x81])],
    ['euc-kr', Buffer.from([0x61, 0x62, 0x0a, 0xff, 0xff, 0x0a])],
    ['utf-16le', utf16['utf-16le']('a\n\ud83e')],
    ['utf-16be', utf16['utf-16be']('a\n\udd84a')],
  ];
  it.each(wrong)('in %s is refused by its line where it is no text in it', async (encoding, bytes) => {
    const message = `a.csv, line 2: at or after this line are bytes that are no text in ${encoding}`;
    for (const size of [1, 64])
      await expect(textOf(bytes, encoding, size)).rejects.toMatchObject({ issues: [{ message }] });
  });
});
