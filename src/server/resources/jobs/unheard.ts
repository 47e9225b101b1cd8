import { stoppedMeanwhile } from '../../model/job-state.ts';
import { RecentMap } from '../../model/recent-map.ts';
import { type StoredJob, unknownByHandoff } from '../../store/jobs/jobs.ts';
import type { NetworkStore } from '../../store/network-store.ts';
import type { Launcher } from './launcher.ts';

interface Begun<T> {
  answer: Promise<T>;
  /** Whether nobody waits for the answer any more. */
  hasLeft: () => boolean;
}

/** So many are known whose answer nobody has heard. */
const most = 10_000;

/** What was begun for somebody who left before the answer: whoever asks for the same once more is given that, and begins nothing. */
export class Unheard<T> {
  readonly #begun = new RecentMap<string, Begun<T>>(most);

  /** `isBegun`: whether an answer says that there is something that would be there twice. */
  async once(
    key: string,
    hasLeft: () => boolean,
    { begin, isBegun }: { begin: () => Promise<T>; isBegun: (answer: T) => boolean },
  ): Promise<T> {
    const before = this.#begun.get(key);
    const begun: Begun<T> = { answer: before?.hasLeft() ? before.answer : begin(), hasLeft };
    this.#begun.set(key, begun);
    let isKept = false;
    try {
      const answer = await begun.answer;
      isKept = isBegun(answer) && hasLeft();
      return answer;
    } finally {
      if (!isKept && this.#begun.get(key) === begun) this.#begun.delete(key);
    }
  }
}

/** What was handed on with a digest by somebody who had no answer before the node stopped; who asks for it again is told of it once. */
export async function begunBefore(
  { writes, needs }: Launcher,
  store: NetworkStore,
  digest: string,
): Promise<StoredJob | null> {
  const queue = needs.queueOf(store);
  // Until then it does not say of each what was under way.
  await queue.takenUp();
  const find = () => store.read((db) => unknownByHandoff(db, digest, stoppedMeanwhile, writes.env.now()));
  const begun = async () => {
    const job = find();
    if (!job) return null;
    const { id, sending } = job;
    const error = `${stoppedMeanwhile}; whoever began it was told so when it asked again`;
    await store.submit([needs.sender.commit([{ kind: 'job_sending', id, from: sending, to: { ...sending, error } }])]);
    return job;
  };
  return (find() && (await writes.queued(store, digest, begun))) ?? (await queue.unanswered(digest)) ?? null;
}
