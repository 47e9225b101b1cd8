import { NotFoundError } from '../../errors.ts';
import { type Caller, registered } from '../../model/caller.ts';
import { newSending } from '../../model/job-state.ts';
import type { Reader } from '../../store/connection.ts';
import type { NewJob } from '../../store/jobs/job-rows.ts';
import { findJob, findJobHead, type StoredJob } from '../../store/jobs/jobs.ts';
import type { NetworkStore } from '../../store/network-store.ts';
import { Utf8Text } from '../../store/utf8-text.ts';
import type { EntitiesService } from '../entities/service.ts';
import { defaultSeconds, type Launcher } from '../jobs/launcher.ts';
import { grantingIn, repeated, repetitionOf } from '../jobs/repetition.ts';
import { runFailuresNow } from '../jobs/run-watch.ts';
import { isRefusal, reasonOf } from '../refusals.ts';
import { inUse } from './in-use.ts';
import type { ResumeBody, ResumedView } from './wire.ts';

const wantedMs = defaultSeconds * 1000;
/** So many begin anew in one commit. */
const perCommit = 200;

/** Repeats what failed in a workflow (processors.md 3.10). */
export class ResumeService {
  readonly #launcher: Launcher;
  readonly #entities: EntitiesService;

  constructor({ launcher, entities }: { launcher: Launcher; entities: EntitiesService }) {
    this.#launcher = launcher;
    this.#entities = entities;
  }

  /** JSON text of a ResumedView: all jobs of very many at once would take the event loop too long to say. */
  async resume(caller: Caller, id: string, job: string, { error_codes }: ResumeBody): Promise<Uint8Array> {
    registered(caller);
    const { writes, needs } = this.#launcher;
    const store = await writes.store(caller);
    store.read((db) => this.#require(db, caller, id, job));
    const text = new Utf8Text();
    text.add('{"jobs":[');
    let begun = 0;
    try {
      return await writes.queued(store, job, async () => {
        const now = { run: job, nowMs: writes.env.now() };
        const { failed, repeatable } = await runFailuresNow(store, { ...now, codes: error_codes ?? null });
        const ended = (more: Pick<ResumedView, 'error'>) => {
          const rest = { resumed: begun, skipped: failed - begun, ...more };
          text.add(`],${JSON.stringify(rest).slice(1)}`);
          return text.bytes();
        };
        for (let from = 0; from < repeatable.length; from += perCommit) {
          const ids = repeatable.slice(from, from + perCommit);
          try {
            const made = await this.#repeat(store, caller, ids, (db) => this.#require(db, caller, id, job));
            text.add(made.map((one, i) => `${begun + i > 0 ? ',' : ''}${JSON.stringify(viewOf(one))}`).join(''));
            begun += made.length;
          } catch (error) {
            // Those of the commits before have begun, and nobody else would tell which. What passes is asked for again.
            if (begun === 0 || !isRefusal(error)) throw error;
            return ended({ error: reasonOf(error) });
          }
        }
        return ended({});
      });
    } finally {
      // Whatever became of the others.
      if (begun > 0) needs.queueOf(store).wake();
    }
  }

  async #repeat(
    store: NetworkStore,
    caller: Caller,
    ids: readonly string[],
    require: (db: Reader) => void,
  ): Promise<NewJob[]> {
    const failed = store.read((db) => ids.map((one) => findJob(db, one)).filter((one): one is StoredJob => !!one));
    const [first] = failed;
    if (!first) return [];
    const prepare = (db: Reader) => repetitionOf(this.#launcher, db, caller, first, wantedMs);
    const { jobs } = await this.#launcher.write(store, grantingIn(store.read(prepare)), (db) => {
      require(db);
      return repeated(this.#launcher, db, caller, prepare(db), failed, newSending);
    });
    return jobs;
  }

  #require(db: Reader, caller: Caller, id: string, job: string): void {
    const entities = this.#entities;
    const { permissions } = this.#launcher.writes.env;
    const rhiza = entities.viewedRow(db, caller, id, 'rhiza');
    permissions.require(db, registered(caller), 'rhiza:invoke', rhiza);
    if (findJobHead(db, job)?.rhiza !== id) throw NotFoundError.of('There is no such job');
    inUse({ entities, permissions }, db, caller, id);
  }
}

function viewOf({ id, processor, retries }: NewJob): ResumedView['jobs'][number] {
  return { original_job_id: retries ?? '', klados_id: processor, new_job_id: id };
}
