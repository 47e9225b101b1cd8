import { z } from 'zod';
import { encodeHistoric, historicJson } from '../blocks/encode.ts';
import { verifyBlock } from '../blocks/verify.ts';
import { jsonMap } from '../model/json-map.ts';
import type { JsonObject } from '../model/manifest.ts';
import { keyIdOf } from '../model/node-key.ts';
import { isSignedHead, type SignedHead } from './head.ts';
import { hashBytes, hashOfLeaf, hashText, type Leaf } from './leaf.ts';
import { equal, rootOfInclusion } from './merkle.ts';
import { count, hash, head, time } from './shapes.ts';
import { allHold, type Checked, iso, type Statement, shapeStatement } from './statement.ts';

const proofFormat = 'archeion/proof@v1';

/** All that it takes to check, without a node, that a version is in a log: a head, the leaf, the way between them, the manifest. */
export interface Proof {
  format: typeof proofFormat;
  head: SignedHead;
  /** Of the head, 32 bytes in base64. */
  public_key: string;
  leaf: Leaf;
  /** Hashes from the leaf up to the root, base64url. */
  path: string[];
  /** The version as it was hashed. */
  manifest: JsonObject;
  /** Its bytes in base64, where they cannot be made again from the manifest as JSON. */
  block?: string;
}

/** The JSON of a proof; `version` is what versionText (store/version-text.ts) gives, as text or UTF-8. */
export function proofText(
  { head, publicKey, leaf, path }: { head: SignedHead; publicKey: Uint8Array; leaf: Leaf; path: Uint8Array[] },
  version: string | Uint8Array,
): Uint8Array {
  const public_key = Buffer.from(publicKey).toString('base64');
  const front = JSON.stringify({ format: proofFormat, head, public_key, leaf, path: path.map(hashText) });
  return Buffer.concat([Buffer.from(`${front.slice(0, -1)},`), Buffer.from(version).subarray(1)]);
}

const proof = z.object({
  format: z.literal(proofFormat),
  head,
  public_key: z.string(),
  leaf: z.object({
    seq: count,
    pi: z.string(),
    ver: count,
    cid: z.string(),
    op: z.enum(['C', 'U']),
    prev_cid: z.string().nullable(),
    ts: time,
  }),
  path: z.array(hash).max(64),
  manifest: jsonMap,
  block: z.string().optional(),
});

/**
 * What a file proves. `knownKey` is the node's key as the reader knows it, the public key in base64 or its id; without
 * it the proof is only as good as the key in it.
 */
export function checkProof(value: unknown, knownKey: string | null): Checked {
  const parsed = proof.safeParse(value);
  if (!parsed.success) return allHold([shapeStatement(proofFormat, parsed.error)]);
  const given = parsed.data as Proof;
  return allHold([
    manifestStatement(given),
    leafStatement(given),
    pathStatement(given),
    signatureStatement(given),
    ...(knownKey === null ? [] : [keyStatement(given, knownKey)]),
  ]);
}

function manifestStatement({ manifest, block, leaf }: Proof): Statement {
  const bytes = block === undefined ? null : Buffer.from(block, 'base64');
  const hashes = bytes
    ? verifyBlock(leaf.cid, bytes) === 'match' && sameJson(bytes, manifest)
    : cidOf(manifest) === leaf.cid;
  const holds = hashes && manifest.id === leaf.pi && manifest.ver === leaf.ver;
  const what = `the manifest is version ${leaf.ver} of ${leaf.pi}, and its bytes hash to the CID ${leaf.cid}`;
  return { holds, text: what };
}

/** Null where the JSON is no manifest at all. */
function cidOf(manifest: JsonObject): string | null {
  try {
    return encodeHistoric(manifest).cid;
  } catch {
    return null;
  }
}

function sameJson(bytes: Uint8Array, manifest: JsonObject): boolean {
  try {
    const said = historicJson(bytes);
    return cidOf(said) !== null && cidOf(said) === cidOf(manifest);
  } catch {
    return false;
  }
}

function leafStatement({ leaf, head }: Proof): Statement {
  const before = leaf.prev_cid === null ? 'where the entity was not known' : `after ${leaf.prev_cid}`;
  return {
    holds: (leaf.op === 'C') === (leaf.prev_cid === null) && leaf.seq <= head.size,
    text: `entry ${leaf.seq} of the log says that this version became the tip on ${iso(leaf.ts)}, ${before}`,
  };
}

function pathStatement({ leaf, path, head }: Proof): Statement {
  const hashes = path.map((text) => hashBytes(text) ?? new Uint8Array());
  const root = rootOfInclusion(hashOfLeaf(leaf), leaf.seq - 1, head.size, hashes);
  const wanted = hashBytes(head.root);
  return {
    holds: root !== null && wanted !== null && equal(root, wanted),
    text: `the path leads from that entry to the root ${head.root} of ${head.size} entries`,
  };
}

function signatureStatement({ head, public_key }: Proof): Statement {
  const key = Buffer.from(public_key, 'base64');
  return {
    holds: keyIdOf(key) === head.key_id && isSignedHead(head, key),
    text: `the key ${head.key_id} signed that root on ${iso(head.time)} as the ${head.network} network of the node ${head.instance}`,
  };
}

function keyStatement({ head, public_key }: Proof, known: string): Statement {
  const same = known === head.key_id || known === public_key;
  return { holds: same, text: `the key is the one that you gave, ${known}` };
}
