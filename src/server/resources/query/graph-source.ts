import type { GraphSource, Linked, Walked, WalkQuery } from '../../argo/ports.ts';
import { jsonOf } from '../../model/from-json.ts';
import type { NewestPage } from '../../store/listings/newest.ts';
import type { NetworkStore } from '../../store/network-store.ts';
import type { Asker } from '../../store/threads/asker-turns.ts';
import { within } from './within.ts';

/** What one read looks at, at most: rows of relationships, and milliseconds. */
const [maxRows, maxMilliseconds] = [100_000, 1000];
/** The newest of so many pages are kept, since a page has the newest of its own part. */
const keptPages = 8;

/** The graph as long reads show it. Whoever may query may view every entity: nothing is hidden but what is deleted. */
export function graphSource(store: NetworkStore, asker: Asker): GraphSource {
  const read: NetworkStore['readLong'] = (name, args) => store.readLong(name, args, asker);
  return {
    async newest(among, k, milliseconds) {
      const until = performance.now() + milliseconds;
      let found: NewestPage['entities'] = [];
      for (let after: number | null = 0; after !== null; ) {
        const left = until - performance.now();
        if (left < 0) return { ids: idsOf(newestOf(found, k)), truncated: true };
        const page: NewestPage = await parsed(
          read('newestPage', { within: within(among), after, k, milliseconds: Math.min(left, maxMilliseconds) }),
        );
        found.push(...page.entities);
        if (found.length > keptPages * k) found = newestOf(found, k);
        after = page.next;
      }
      return { ids: idsOf(newestOf(found, k)), truncated: false };
    },
    predicates: () => parsed(read('predicates', {})),
    used: (names) => parsed(read('predicateUsed', { names })),
    named: (names) => parsed(read('predicatesNamed', { names })),
    walk({ types, leading, perSource, ...query }) {
      const limit = perSource * query.sources.length;
      const asked = { ...asStored(query), limit, perSource, leading, ...(types && { types }) };
      return parsed<Walked>(read('reached', asked));
    },
    link({ targets, ...query }) {
      return parsed<Linked>(read('linked', { ...asStored(query), targets }));
    },
  };
}

function asStored({ sources, predicates, most, rows, milliseconds, ...shape }: Omit<WalkQuery, 'perSource'>) {
  return {
    ...shape,
    sources: sources.map(({ id }) => id),
    avoid: sources.map(({ avoid }) => avoid),
    ...(predicates && { predicates }),
    depth: most,
    budget: { rows: Math.min(rows, maxRows), milliseconds: Math.min(milliseconds, maxMilliseconds) },
  };
}

function newestOf(entities: NewestPage['entities'], k: number): NewestPage['entities'] {
  const byTime = entities.sort((a, b) =>
    a.updated_at < b.updated_at ? 1 : a.updated_at > b.updated_at ? -1 : a.id < b.id ? -1 : 1,
  );
  return byTime.slice(0, k);
}

const idsOf = (entities: NewestPage['entities']): string[] => entities.map(({ id }) => id);

async function parsed<T>(text: Promise<Uint8Array>): Promise<T> {
  return jsonOf(await text) as T;
}
