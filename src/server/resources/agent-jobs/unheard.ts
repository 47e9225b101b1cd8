import { RecentMap } from '../../model/recent-map.ts';

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
