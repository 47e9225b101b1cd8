import fc from 'fast-check';
import { CID } from 'multiformats/cid';
import { create } from 'multiformats/hashes/digest';
import { expect, test } from 'vitest';
import { cidBytes, cidText, digestCid, isCid } from '../../src/server/blocks/cid.ts';

const digest = fc.uint8Array({ minLength: 32, maxLength: 32 });
const codec = fc.constantFrom(0x71, 0x55, 0x70, 0x0129);

test('CIDs have the text and the bytes that the library gives them', () => {
  fc.assert(
    fc.property(digest, codec, (bytes, code) => {
      const cid = CID.createV1(code, create(0x12, bytes));
      expect(cidText(cid.bytes)).toBe(cid.toString());
      expect(Buffer.from(cidBytes(cid.toString()))).toEqual(Buffer.from(cid.bytes));
      expect(isCid(cid.toString())).toBe(true);
      if (code < 0x80) expect(digestCid(code, bytes)).toBe(cid.toString());
    }),
  );
  const other = CID.createV1(0x71, create(0x13, new Uint8Array(64)));
  expect(cidText(cidBytes(other.toString()))).toBe(other.toString());
  const old = 'QmYwAPJzv5CZsnA625s3Xf2nemtYgPpHdWEz79ojWnPbdG';
  expect(cidText(cidBytes(old))).toBe(old);
});

test('text that is no CID is refused', () => {
  const text = CID.createV1(0x71, create(0x12, new Uint8Array(32))).toString();
  for (const wrong of ['', 'b', text.slice(1), text.slice(0, -1), `${text}a`, `${text.slice(0, -1)}1`, `${text}é`])
    expect(() => cidBytes(wrong), wrong).toThrow();
  for (const wrong of ['', 'x', text.toUpperCase(), `${text.slice(0, -1)}b`]) expect(isCid(wrong)).toBe(false);
});
