import type { EditedBy } from '../../model/manifest.ts';
import type { NetworkStore } from '../../store/network-store.ts';

/**
 * Sees to it that whoever writes on a network has a user entity there (decisions.md, Identity and authorship). Each author is
 * looked up once a store, so that all later writes cost a look into a set.
 */
export class Authors {
  readonly #ensure: (store: NetworkStore, author: EditedBy) => Promise<void>;
  readonly #known = new WeakMap<NetworkStore, Set<string>>();

  /** `ensure` makes the user entities of an author and of the one it acts for, where they are this node's and missing. */
  constructor(ensure: (store: NetworkStore, author: EditedBy) => Promise<void>) {
    this.#ensure = ensure;
  }

  /** Undefined where all are known, so that nothing is waited for. */
  present(store: NetworkStore, authors: Iterable<EditedBy>): Promise<void> | undefined {
    const known = this.#known.get(store) ?? new Set();
    this.#known.set(store, known);
    const unknown = new Map<string, EditedBy>();
    for (const author of authors) {
      const key = keyOf(author);
      if (!known.has(key)) unknown.set(key, author);
    }
    return unknown.size === 0 ? undefined : this.#meet(store, unknown, known);
  }

  async #meet(store: NetworkStore, unknown: Map<string, EditedBy>, known: Set<string>): Promise<void> {
    for (const [key, author] of unknown) {
      await this.#ensure(store, author);
      known.add(key);
    }
  }
}

function keyOf({ user_id, on_behalf_of }: EditedBy): string {
  return on_behalf_of === undefined ? user_id : `${user_id} ${on_behalf_of}`;
}
