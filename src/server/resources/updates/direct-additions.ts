import type { LoopTurns } from '../../loop/loop-turns.ts';
import { type Caller, registered } from '../../model/caller.ts';
import type { QueuedRow } from '../../store/additive-rows.ts';
import type { NetworkStore } from '../../store/network-store.ts';
import { askerText } from '../asker.ts';
import type { EntityWrites } from '../entities/writes.ts';
import { isRefusal } from '../refusals.ts';
import { type Addition, added, maxNote } from './addition.ts';

/** What one caller adds at one time to one entity, and what is queued in the same commit. */
interface Part {
  additions: readonly Addition[];
  behind: readonly QueuedRow[];
}

/** What is written together. */
interface Round {
  parts: Part[];
  /** Characters. */
  weight: number;
  /** Each once. */
  notes: Set<string>;
  /** Why parts are refused; resolves when the others are on disk. */
  written: Promise<ReadonlyMap<Part, unknown>>;
}

/** Characters that are written together, as from the queue. */
const maxTogether = 512 * 1024;

/**
 * Additions that are written at once. What a caller adds to an entity while that is being written goes into the next version
 * together: of thousands of jobs that each add a link, not each is to make a version with all the links before it.
 */
export class DirectAdditions {
  readonly #writes: EntityWrites;
  readonly #turns: LoopTurns;
  /** Those that wait for their turn. */
  readonly #next = new Map<string, Round>();

  constructor(writes: EntityWrites, turns: LoopTurns) {
    this.#writes = writes;
    this.#turns = turns;
  }

  /** Resolves when they are on disk. @throws NotFoundError, ForbiddenError, ValidationError; BusyError where too many write the entity */
  async write(store: NetworkStore, caller: Caller, id: string, part: Part): Promise<void> {
    const key = `${store.network} ${id} ${askerText(registered(caller))}`;
    const weight = JSON.stringify(part).length;
    const notes = part.additions.flatMap(({ note }) => note || []);
    const waiting = this.#next.get(key);
    const fits =
      waiting !== undefined && waiting.weight + weight <= maxTogether && haveRoom([...waiting.notes, ...notes]);
    const round = fits ? waiting : this.#open(key, store, caller, id);
    round.parts.push(part);
    round.weight += weight;
    for (const note of notes) round.notes.add(note);
    const refused = await round.written;
    if (refused.has(part)) throw refused.get(part);
  }

  #open(key: string, store: NetworkStore, caller: Caller, id: string): Round {
    const parts: Part[] = [];
    const close = () => {
      if (this.#next.get(key) === round) this.#next.delete(key);
    };
    const write = (some: () => readonly Part[]) =>
      this.#writes.queued(store, id, () => this.#write(store, caller, id, some));
    const together = async () => {
      const refused = new Map<Part, unknown>();
      try {
        await write(() => {
          close();
          return parts;
        });
        return refused;
      } catch (error) {
        if (!isRefusal(error) || parts.length === 1) throw error;
      }
      // What is refused of one keeps the others out no longer than until they are written by themselves.
      for (const part of parts) await write(() => [part]).catch((error: unknown) => refused.set(part, error));
      return refused;
    };
    const round: Round = { parts, weight: 0, notes: new Set(), written: together().finally(close) };
    this.#next.set(key, round);
    return round;
  }

  async #write(store: NetworkStore, caller: Caller, id: string, some: () => readonly Part[]): Promise<void> {
    await this.#turns.next();
    const parts = some();
    const additions = parts.flatMap((part) => part.additions);
    const step = store.read((db) => {
      const { base, next, permit } = added(this.#writes, db, caller, id, additions);
      return this.#writes.settle(db, base, next, undefined, permit);
    });
    await this.#writes.commit(
      store,
      [step],
      parts.flatMap(({ behind }) => behind),
    );
  }
}

/** Whether one version keeps all of them: by its note it is known again what an addition has become. */
function haveRoom(notes: readonly string[]): boolean {
  return [...new Set(notes)].join('\n').length <= maxNote;
}
