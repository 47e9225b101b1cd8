import { keyIdOf } from '../model/node-key.ts';
import { headFormat, isSignedHead, type SignedHead } from './head.ts';
import { hashBytes } from './leaf.ts';
import { isConsistent, type TreeHead } from './merkle.ts';
import { head } from './shapes.ts';
import { allHold, type Checked, iso, type Statement, shapeStatement } from './statement.ts';

/** What a node says of its log today. */
export interface LogToday {
  head: SignedHead;
  /** 32 bytes in base64. */
  publicKey: string;
  /** The path from the kept head to today's one, hashes in base64url; null where the log is shorter than it was. */
  path: readonly string[] | null;
}

/** A signed head as a file has it, or what keeps the file from being one. */
export function readHead(value: unknown): { kept: SignedHead } | Checked {
  const { data, error } = head.safeParse(value);
  return data ? { kept: data } : allHold([shapeStatement(headFormat, error)]);
}

/**
 * Whether a node's log still begins with the entries of a head that was kept elsewhere, so that none of these was removed or
 * written anew since. `knownKey` is the node's key as the reader knows it, the public key in base64 or its id.
 */
export function checkKeptHead(kept: SignedHead, today: LogToday, knownKey: string | null): Checked {
  return allHold([
    signature('the head that was kept', kept, today.publicKey),
    signature("the node's newest head", today.head, today.publicKey),
    sameNetwork(kept, today.head),
    beginning(kept, today),
    ...(knownKey === null ? [] : [key(today, knownKey)]),
  ]);
}

function signature(what: string, signed: SignedHead, publicKey: string): Statement {
  const key = Buffer.from(publicKey, 'base64');
  return {
    holds: keyIdOf(key) === signed.key_id && isSignedHead(signed, key),
    text: `${what}, of ${signed.size} entries on ${iso(signed.time)}, was signed with the node's key ${keyIdOf(key)}`,
  };
}

function sameNetwork(kept: SignedHead, newest: SignedHead): Statement {
  const restored =
    kept.instance === newest.instance ? '' : `, which goes on from a backup of the node ${kept.instance}`;
  return {
    holds: kept.network === newest.network,
    text: `both are of the ${kept.network} network of the node ${newest.instance}${restored}`,
  };
}

function beginning(kept: SignedHead, { head: newest, path }: LogToday): Statement {
  if (!path) return { holds: false, text: `the log has ${newest.size} entries now, and had ${kept.size}` };
  return {
    holds: isConsistent(tree(kept), tree(newest), path.map(bytesOf)),
    text: `the ${kept.size} entries of the head that was kept are the first of the ${newest.size} that the log has now`,
  };
}

function tree({ size, root }: SignedHead): TreeHead {
  return { size, root: bytesOf(root) };
}

function bytesOf(hash: string): Uint8Array {
  return hashBytes(hash) ?? new Uint8Array();
}

function key({ publicKey }: LogToday, known: string): Statement {
  const same = known === publicKey || known === keyIdOf(Buffer.from(publicKey, 'base64'));
  return { holds: same, text: `the key is the one that you gave, ${known}` };
}
