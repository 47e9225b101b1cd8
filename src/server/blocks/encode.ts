import { hash } from 'node:crypto';
import { CID } from 'multiformats/cid';
import type { JsonObject, Manifest } from '../model/manifest.ts';
import { decodeValue } from './cbor-read.ts';
import { encodeValue, Link } from './cbor-write.ts';
import { cidBytes, cidText, digestCid } from './cid.ts';
import { sha256 } from './sha256.ts';
import { isTombstone } from './tombstones.ts';
import { checkSize } from './version-size.ts';

const dagCborCode = 0x71;
const rawCode = 0x55;

/** A block with its address. `cid` is CIDv1 in base32 text, `bytes` what it is the SHA-256 of. */
export interface Block {
  cid: string;
  bytes: Uint8Array;
}

/** The CID of dag-cbor bytes (decisions.md, G8: dag-cbor, sha2-256, CIDv1 base32). */
export function blockCid(bytes: Uint8Array): string {
  return digestCid(dagCborCode, sha256(bytes));
}

/** The CID of file content: raw, sha2-256 (wire-contract.md 1.4). `digest` is the content's SHA-256, 32 bytes. */
export function contentCid(digest: Uint8Array): string {
  return digestCid(rawCode, digest);
}

/**
 * The block of a version that is made here: the same value gives the same bytes whatever the order of its members. A
 * tombstone's has neither properties nor relationships. @throws ValidationError for more than an archive may hold
 */
export function encodeManifest(manifest: Manifest): Block {
  const block = encodeBlock({ ...(manifest.deleted ? headOf(manifest) : manifest), prev: link(manifest.prev) });
  checkSize(block.bytes);
  return block;
}

function headOf({ properties, relationships, ...head }: Manifest): Omit<Manifest, 'properties' | 'relationships'> {
  return head;
}

/**
 * The block of a historic manifest as it travels in JSON (`prev` is `{"/": cid}` or null), with whatever members it
 * has: what another node's answer must hash to.
 */
export function encodeHistoric(json: JsonObject): Block {
  const prev = json.prev as { '/'?: unknown } | null | undefined;
  if (prev == null) return encodeBlock(json);
  return encodeBlock({ ...json, prev: link(String(prev['/'])) });
}

/**
 * The manifest in a block's bytes, as it was written, but for missing members, which get their empty value; what of it may be
 * anything, lenientManifest has in the known shapes. Throws where the bytes are no dag-cbor map.
 */
export function decodeManifest(bytes: Uint8Array): Manifest {
  const value = decodeValue(bytes) as Omit<Partial<Manifest>, 'prev'> & { prev?: unknown };
  const prev = value.prev instanceof CID ? cidText(value.prev.bytes) : null;
  const grave = isTombstone(value) ? { deleted: true } : {};
  return { properties: {}, relationships: [], ...value, prev, ...grave } as Manifest;
}

/** A block's value as JSON carries it: links become `{"/": cid}`, members stand in dag-cbor's order (wire-contract.md 1.5). */
export function historicJson(bytes: Uint8Array): JsonObject {
  return inJson(decodeValue(bytes)) as JsonObject;
}

/** As text would say it and `JSON.parse` read it, which does not read every name as it is written (model/from-json.ts). */
function inJson(value: unknown): unknown {
  if (typeof value === 'bigint') throw new TypeError('JSON has no integer beyond 2^53-1');
  if (typeof value !== 'object' || value === null) return value;
  if (value instanceof CID) return { '/': value.toString() };
  if (Array.isArray(value)) return value.map(inJson);
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, inJson(one)]));
}

function encodeBlock(value: unknown): Block {
  const bytes = encodeValue(value);
  return { cid: blockCid(bytes), bytes };
}

function link(cid: string | null): Link | null {
  return cid === null ? null : new Link(cidBytes(cid));
}

/** The hash of a plain value as dag-cbor, for comparing content (not an address). */
export function valueHash(value: unknown): string {
  return hash('sha256', encodeValue(value), 'hex');
}
