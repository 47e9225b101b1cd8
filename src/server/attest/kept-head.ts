import { keyIdOf } from '../model/node-key.ts';
import { newestHead, publicKeyOf } from '../store/attest-log.ts';
import type { Reader } from '../store/connection.ts';
import { headFormat, isSignedHead, type SignedHead, signedHead } from './head.ts';
import { hashBytes, hashText } from './leaf.ts';
import { subtreesOf } from './log-subtrees.ts';
import { consistencyPath, isConsistent, type TreeHead } from './merkle.ts';
import { head } from './shapes.ts';
import { allHold, type Checked, iso, type Statement, shapeStatement } from './statement.ts';

/** What there is of a log today. */
export interface LogToday {
  /** The newest. */
  head: SignedHead;
  /** That it was signed with, 32 bytes in base64. */
  publicKey: string;
  /** The path from a kept head to it, hashes in base64url; null where the log is shorter than it was then. */
  path: readonly string[] | null;
}

/** What a log says today that held `size` entries once; null where no head was ever signed. */
export function logToday(log: Reader, size: number): LogToday | null {
  const newest = newestHead(log);
  if (!newest) return null;
  const key = publicKeyOf(log, newest.key_id) ?? new Uint8Array();
  const path = size > newest.size ? null : consistencyPath(subtreesOf(log), size, newest.size).map(hashText);
  return { head: signedHead(newest), publicKey: Buffer.from(key).toString('base64'), path };
}

/** A signed head as a file has it, or what keeps the file from being one. */
export function readHead(value: unknown): SignedHead | Statement {
  const { data, error } = head.safeParse(value);
  return data ?? shapeStatement(headFormat, error);
}

/** What is known beside the log. */
interface Known {
  /** How many moves the node has, of which the log may not have taken up all. */
  moves: number;
  /** The node's key as the reader knows it, the public key in base64 or its id. */
  key: string | null;
}

/**
 * Whether a log still begins with the entries of a head that was kept elsewhere. What these entries are of is for a
 * verification to say (verification.ts): both together show that nothing was removed or written anew since.
 */
export function checkKeptHead(kept: SignedHead, today: LogToday | null, { moves, key }: Known): Checked {
  if (!today)
    return allHold([
      { holds: false, text: `no head is signed yet, and the one that was kept is of ${kept.size} entries` },
    ]);
  return allHold([
    signature('the head that was kept', kept, today.publicKey),
    signature('the newest head', today.head, today.publicKey),
    sameNode(kept, today.head),
    beginning(kept, today, moves),
    ...(key === null ? [] : [sameKey(today, key)]),
  ]);
}

function signature(what: string, signed: SignedHead, publicKey: string): Statement {
  const key = Buffer.from(publicKey, 'base64');
  return {
    holds: keyIdOf(key) === signed.key_id && isSignedHead(signed, key),
    text: `${what}, of ${signed.size} entries on ${iso(signed.time)}, was signed with the node's key ${keyIdOf(key)}`,
  };
}

/** Of another instance is a restored backup, which goes on with the key of the node that it is of. */
function sameNode(kept: SignedHead, newest: SignedHead): Statement {
  const isRestored = kept.instance !== newest.instance;
  return {
    holds: kept.network === newest.network && (!isRestored || kept.key_id === newest.key_id),
    text: isRestored
      ? `the node ${newest.instance} goes on from a backup of the node ${kept.instance}, of which the head is`
      : `both are of the ${kept.network} network of the node ${newest.instance}`,
  };
}

function beginning(kept: SignedHead, { head: newest, path }: LogToday, moves: number): Statement {
  if (!path) {
    const rest = moves < kept.size ? '' : '; a node that runs takes up what is missing: ask again then';
    return { holds: false, text: `the log has ${newest.size} entries now, and had ${kept.size}${rest}` };
  }
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

function sameKey({ publicKey }: LogToday, known: string): Statement {
  const same = known === publicKey || known === keyIdOf(Buffer.from(publicKey, 'base64'));
  return { holds: same, text: `the key is the one that you gave, ${known}` };
}
