import { ForbiddenError, ValidationError } from '../errors.ts';
import type { Steps } from '../loop/steps.ts';
import type { Stamp } from '../model/next-version.ts';
import type { Commit } from '../store/commit.ts';
import type { Reader } from '../store/connection.ts';
import { findTip, isKnownTarget } from '../store/entities.ts';
import { type ImportStanding, importStandings } from '../store/imports/import-sources.ts';
import type { NetworkStore } from '../store/network-store.ts';
import { submitWhenFree } from '../store/submit-when-free.ts';
import type { Draft } from './draft.ts';
import { type Destination, type Step, stepOf } from './import-step.ts';
import type { ImportTally } from './import-tally.ts';

/** One draft, with file and line in words. */
export interface ImportItem {
  draft: Draft;
  place: string;
}

export interface ImportTarget extends Destination {
  store: NetworkStore;
  stamp: () => Stamp;
}

/** So many small slices (what lives shortly is let go cheaply) are with the store while the next one is made. */
const maxInFlight = 8;
/** How often an entity is looked at anew after somebody else wrote it in between. */
const attempts = 10;

interface Written {
  item: ImportItem;
  commit: Commit;
  done: 'created' | 'updated' | 'unchanged';
}

/** Writes drafts in slices, a commit an entity, and counts what became of them. */
export class ImportWriter {
  readonly #target: ImportTarget;
  readonly #tally: ImportTally;
  readonly #steps: Steps;
  #inFlight: Promise<void>[] = [];

  constructor(target: ImportTarget, tally: ImportTally, steps: Steps) {
    this.#target = target;
    this.#tally = tally;
    this.#steps = steps;
  }

  /** Resolves when the next slice may come; rejects where this one or one before could not be written. */
  async write(items: ImportItem[]): Promise<void> {
    const prepared = await this.#prepare(items);
    while (this.#inFlight.length >= maxInFlight) await this.#inFlight.shift();
    const written = this.#commit(prepared);
    // Its rejection is met where it is awaited, and must not count as unhandled until then.
    written.catch(() => undefined);
    this.#inFlight.push(written);
  }

  /** Resolves when everything is on disk. */
  async settle(): Promise<void> {
    const inFlight = this.#inFlight;
    this.#inFlight = [];
    await Promise.all(inFlight);
  }

  async #commit(prepared: Written[]): Promise<void> {
    let open = prepared;
    for (let attempt = 1; open.length > 0; attempt++) {
      const commits = open.map(({ commit }) => commit);
      const outcomes = await submitWhenFree(this.#target.store, commits).catch((error: unknown) => {
        this.#countKept(open);
        throw error;
      });
      const beaten: ImportItem[] = [];
      for (const [i, { item, done }] of open.entries())
        if (outcomes[i]?.committed) this.#tally.count(done);
        else beaten.push(item);
      if (attempt === attempts) return this.#giveUp(beaten);
      open = beaten.length === 0 ? [] : await this.#prepare(beaten);
    }
  }

  /** Of what failed as a whole some may be on disk, in an earlier transaction than the one that failed. */
  #countKept(written: Written[]): void {
    try {
      const tips = this.#target.store.read((db) =>
        written.map(({ commit }) => commit.changes.map(({ id }) => findTip(db, id))),
      );
      for (const [i, { commit, done }] of written.entries())
        if (commit.changes.every(({ tip }, n) => tip === tips[i]?.[n])) this.#tally.count(done);
    } catch {
      // What cannot be read either is not counted.
    }
  }

  #giveUp(items: ImportItem[]): void {
    const issues = [{ path: ['id'], message: 'the entity was changed by others again and again' }];
    for (const { draft, place } of items) this.#tally.refused({ place, id: draft.id, issues });
  }

  /** What is to be committed of a slice; the rest is counted. One look-up for all, then turns between steps. */
  async #prepare(items: ImportItem[]): Promise<Written[]> {
    const { store, collection } = this.#target;
    const standings = store.read((db) => {
      if (!isKnownTarget(db, collection)) throw ValidationError.at(['collection'], 'the collection has been deleted');
      return importStandings(
        db,
        items.map(({ draft }) => draft.id),
      );
    });
    const stamp = this.#target.stamp();
    const written: Written[] = [];
    for (let next = 0; next < items.length; ) {
      if (this.#steps.due()) await this.#steps.next();
      store.read((db) => {
        do {
          const item = items[next++] as ImportItem;
          const step = this.#step(db, item, standings.get(item.draft.id), stamp);
          if (step) written.push({ item, ...step });
        } while (next < items.length && !this.#steps.due());
      });
    }
    return written;
  }

  #step(
    db: Reader,
    { draft, place }: ImportItem,
    standing: ImportStanding | undefined,
    stamp: Stamp,
  ): Extract<Step, { kind: 'commit' }> | null {
    const { id } = draft;
    const step = this.#checked(db, draft, standing, stamp);
    if (step.kind === 'commit') return step;
    if (step.kind === 'unchanged') {
      this.#tally.count('unchanged');
      if (step.beyond) this.#tally.differing({ id, place, reason: 'mentioned', names: step.beyond });
    } else if (step.kind === 'left_alone') this.#tally.leftAlone({ id, place, reason: step.reason });
    else this.#tally.refused({ place, id, issues: step.issues });
    return null;
  }

  #checked(db: Reader, draft: Draft, standing: ImportStanding | undefined, stamp: Stamp): Step {
    try {
      return stepOf(db, draft, standing, this.#target, stamp);
    } catch (error) {
      if (error instanceof ValidationError) return { kind: 'refused', issues: error.issues };
      if (!(error instanceof ForbiddenError)) throw error;
      return { kind: 'refused', issues: [{ path: [], message: error.message }] };
    }
  }
}
