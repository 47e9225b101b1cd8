import { DamagedArchiveError } from '../blocks/damaged-archive-error.ts';
import type { Block } from '../blocks/encode.ts';
import { readSegments } from '../blocks/segment-car.ts';
import { hasTooManyItems } from '../blocks/version-size.ts';
import type { LoopTurns } from '../loop/loop-turns.ts';
import { checkKey } from './key-check.ts';
import {
  type Chain,
  chainOfVersions,
  extendChain,
  isUnusable,
  type Room,
  type Unusable,
  type Verified,
  versionOfBytes,
} from './manifests.ts';
import type { RemoteClient } from './remote.ts';
import { FailedAnswerError } from './remote-errors.ts';
import { readBlocksRoot, readWords } from './wire.ts';

/** A version that is wanted with all before it down to what is here. */
export interface WantedChain {
  id: string;
  cid: string;
  /** A version that is here; it ends the chain where it is in it. */
  have: string | null;
}

/**
 * What became of a wanted chain. `moved`: it ends with a version that is not the tip there. `long`: the newest version of
 * a chain that is too long to be held.
 */
export type FetchedChain = { chain: Chain; moved: boolean } | { long: Verified; moved: boolean } | Unusable;

/** A chain that is being fetched: what has come, newest first, and what has to come next. */
interface Open {
  want: WantedChain;
  found: Verified[];
  next: string;
}

/** What one answer holds. */
interface Answered {
  versions: Map<string, Verified>;
  without: Map<string, 'missing' | 'forbidden'>;
  moved: Set<string>;
  /** Why nothing more is believed of it. */
  damage: string | null;
}

/** The most that is asked for at once. */
const perRequest = 1000;

/**
 * Fetches chains as blocks from a node that offers them: one request for all, and more where an answer ends early. Every
 * block is hashed; what an answer holds beside what was asked for is dropped. A chain that is not in the result did not
 * come whole, and is to be had by the plain interface, or not.
 * @param isHere whether a version of this entity is stored
 * @throws UnreachableError
 */
export async function fetchChains(
  client: RemoteClient,
  wants: WantedChain[],
  isHere: (id: string, cid: string) => boolean,
  turns: LoopTurns,
  room: Room,
): Promise<Map<string, FetchedChain>> {
  const fetched = new Map<string, FetchedChain>();
  for (let open = wants.map((want): Open => ({ want, found: [], next: want.cid })); open.length > 0; ) {
    const wanted = open.slice(0, perRequest).map(({ want, next }) => ({ ...want, cid: next }));
    const answer = await askForBlocks(client, wanted);
    const left: Open[] = [];
    let progress = false;
    await turns.each(open, (one) => {
      const { id } = one.want;
      const before = one.found.length;
      const result = extended(one, answer, { isHere: (cid) => isHere(id, cid), room });
      progress ||= one.found.length > before;
      const moved = answer.moved.has(id);
      if (result === null) left.push(one);
      else if (result === 'long') fetched.set(id, { long: one.found[0] as Verified, moved });
      else fetched.set(id, isUnusable(result) ? result : { chain: result, moved });
    });
    if (!progress || answer.damage !== null) break;
    open = left;
  }
  return fetched;
}

/** Follows a chain as far as the answer leads; null where more has to come. */
function extended(
  one: Open,
  { versions, without }: Answered,
  held: { isHere: (cid: string) => boolean; room: Room },
): Chain | Unusable | 'long' | null {
  const { id } = one.want;
  for (;;) {
    const version = versions.get(one.next);
    if (!version) {
      const reason = without.get(id);
      if (reason === undefined) return null;
      return one.found.length === 0
        ? { trouble: reason, evidence: reason === 'forbidden' ? 'it does not show it' : 'it does not have it' }
        : { trouble: 'incomplete', evidence: `it does not have version ${one.next}` };
    }
    const below = extendChain(one.found, version, id, held);
    if (below === 'long' || isUnusable(below)) return below;
    if (below.prev === null) return chainOfVersions(one.found);
    one.next = below.prev;
  }
}

/** One request for chains: what of them fits into an answer, each from its newest version on. @throws UnreachableError */
export async function askForBlocks(client: RemoteClient, chains: WantedChain[]): Promise<Answered> {
  const answered: Answered = { versions: new Map(), without: new Map(), moved: new Set(), damage: null };
  const ids = new Set(chains.map(({ id }) => id));
  const wants = chains.map(({ id, cid, have }) => ({ id, cid, ...(have !== null && { have }) }));
  const answer = await client.readBytes('/node/sync/blocks', { wants }, (bytes) => take(bytes, ids, answered));
  if ('status' in answer) {
    checkKey(client, answer, 'gives no blocks');
    // What stands before a node may let nothing of that pass: by the plain interface the same versions come.
    throw new FailedAnswerError(`${client.host} gives no blocks: ${readWords(answer.body, answer.status)}`);
  }
  return answered;
}

/** What comes before an answer breaks off or is damaged stands: each block vouches for itself. */
async function take(bytes: AsyncGenerator<Uint8Array>, ids: Set<string>, answered: Answered): Promise<void> {
  try {
    const { root, blocks } = await readSegments(bytes);
    try {
      const head = readBlocksRoot(root);
      if (head === null) throw new DamagedArchiveError('Its root block is of another kind.', 0);
      answered.without = head.without;
      answered.moved = head.moved;
      for await (const block of blocks) {
        const version = versionIn(block);
        if (version !== null && ids.has(version.head.id)) answered.versions.set(block.cid, version);
      }
    } finally {
      await blocks.return();
    }
  } catch (error) {
    if (!(error instanceof DamagedArchiveError)) throw error;
    answered.damage = error.reason;
  } finally {
    await bytes.return(undefined);
  }
}

/** Null for bytes that are no manifest, or too many things to be looked at. */
function versionIn(block: Block): Verified | null {
  const { bytes } = block;
  try {
    return hasTooManyItems(bytes) ? null : versionOfBytes(block);
  } catch {
    return null;
  }
}
