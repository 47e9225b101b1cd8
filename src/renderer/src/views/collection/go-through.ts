import { Failure } from '../../api/failure.ts';
import { nodeAnswers } from '../../api/node-answers.ts';
import type { TableRow } from './table-queries.ts';

/** What of an entity has to be known to change it, and to tell of it. */
export type Row = Pick<TableRow, 'id' | 'label' | 'cid'>;

/** An entity that was changed: the version before, and the one that it became. */
export interface Changed {
  row: Row;
  after: string;
  deleted: boolean;
}

/** A piece of work on many entities, one by one. */
export interface Bulk {
  /** Whether it takes a change back. */
  undoing: boolean;
  rows: readonly Row[];
  /** null where there is nothing to do. */
  each(row: Row): Promise<Changed | null>;
}

export interface BulkProgress {
  changed: readonly Changed[];
  failed: readonly { row: Row; error: unknown }[];
  /** At how many there was nothing to do. */
  idle: number;
  /** What has not been gone through yet. */
  left: readonly Row[];
  /** Why the node is waited for, while it is. */
  waiting: unknown;
  /** Why it ended with some left, if nobody stopped it. */
  halted: unknown;
}

interface Watch {
  onProgress(progress: BulkProgress): void;
  /** Asked before each: whether it is to end. */
  stopped(): boolean;
}

/** So many requests are under way at once. */
const atOnce = 4;
/** Milliseconds between two reports. */
const pause = 100;
/** An entity at which the node does not answer so often, though it is there, has failed. */
const mostTries = 5;

/** As it stands before anything is done. */
export function begun({ rows }: Bulk): BulkProgress {
  return { changed: [], failed: [], idle: 0, left: rows, waiting: null, halted: null };
}

/**
 * Goes through what is left. What fails is told, the others go on. A node that does not answer for the moment, or no longer
 * knows who asks, is waited for. What has not been done when it ends is left, so that it can be gone on with.
 */
export async function goThrough(bulk: Bulk, from: BulkProgress, { onProgress, stopped }: Watch): Promise<BulkProgress> {
  const changed = [...from.changed];
  const failed = [...from.failed];
  const putBack: Row[] = [];
  let idle = from.idle;
  let next = 0;
  let told = 0;
  let wait: Promise<boolean> | null = null;
  let waiting: unknown = null;
  let halted: unknown = null;
  const standing = (): BulkProgress => ({
    changed: [...changed],
    failed: [...failed],
    idle,
    left: [...putBack, ...from.left.slice(next)],
    waiting,
    halted,
  });
  const tell = () => {
    told = performance.now();
    onProgress(standing());
  };
  const waitFor = (error: unknown) => {
    waiting = error;
    tell();
  };
  const isBack = async (error: unknown) => {
    if (wait === null) {
      wait = nodeAnswers({ onFailure: waitFor, stopped });
      waitFor(error);
    }
    const back = await wait;
    wait = null;
    waiting = null;
    if (!back && !stopped()) halted = error;
    return back;
  };
  const goOver = async (row: Row) => {
    for (let tries = 1; ; tries++)
      try {
        const one = await bulk.each(row);
        if (one === null) idle++;
        else changed.push(one);
        return;
      } catch (error) {
        const passes = isPassing(error) && tries < mostTries;
        if (passes && (await isBack(error))) continue;
        if (passes) putBack.push(row);
        else failed.push({ row, error });
        return;
      }
  };
  const work = async () => {
    for (let row = from.left[next]; row && halted === null && !stopped(); row = from.left[next]) {
      next++;
      await goOver(row);
      if (performance.now() - told > pause) tell();
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return standing();
}

/** What may be otherwise in a moment. */
function isPassing(error: unknown): boolean {
  return (
    error instanceof Failure && (error.kind === 'unreachable' || error.kind === 'signed-out' || error.status === 503)
  );
}
