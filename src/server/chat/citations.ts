import type { CitationView } from '../resources/chat/wire.ts';

const maxCitations = 50;

/** The entities that a conversation's tools have come across in one answer. */
export class Sources {
  readonly #named = new Map<string, CitationView>();
  readonly #shown = new Map<string, CitationView>();

  /** `shown`: the answer rests on them; `named`: they were in a list. */
  add({ named = [], shown = [] }: { named?: CitationView[]; shown?: CitationView[] }): void {
    for (const one of named) this.#named.set(one.id, one);
    for (const one of shown) this.#shown.set(one.id, one);
  }

  /**
   * What an answer cites: the entities of its inline references, in their order, and then those whose content it was
   * shown. `look` finds a reference that no tool has named; undefined for what is not there for the user.
   */
  async cited(
    text: string,
    service: string,
    look: (id: string) => Promise<CitationView | undefined>,
  ): Promise<CitationView[]> {
    const cited = new Map<string, CitationView>();
    for (const id of referencesIn(text, service)) {
      if (cited.size === maxCitations) break;
      const found = this.#shown.get(id) ?? this.#named.get(id) ?? (await look(id));
      if (found) cited.set(id, found);
    }
    for (const [id, one] of this.#shown) if (cited.size < maxCitations) cited.set(id, one);
    return [...cited.values()];
  }
}

/** The ids of `[Label](arke:<id>)`, each once; `service` is the scheme. At most 200. */
export function referencesIn(text: string, service: string): string[] {
  const found = new Set<string>();
  for (const [, id] of text.matchAll(new RegExp(`\\]\\(${service}:([0-9A-Z]{26})\\)`, 'g'))) {
    if (id !== undefined) found.add(id);
    if (found.size === 200) break;
  }
  return [...found];
}

/** An entity without a label goes by its id. */
export function citation({ id, type, label }: { id: string; type: string; label: string | null }): CitationView {
  return { id, type, label: label || id };
}
