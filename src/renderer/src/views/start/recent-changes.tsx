import { useQueries, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { answered, api, currentNetwork } from '../../api/client.ts';
import { Failure } from '../../api/failure.ts';
import { useTexts } from '../../messages/texts.tsx';
import { fetchPreview } from '../entity/entity-queries.ts';

/** So many entities are shown, of more that are looked at: users come and go without anybody's doing. */
const shown = 6;
const lookedAt = 10;
const events = 60;

/** The entities that changed last, by whomever, also by a sync. */
export function RecentChanges() {
  const { t, ago } = useTexts();
  const { data } = useQuery({
    queryKey: ['recent', currentNetwork()],
    queryFn: ({ signal }) =>
      answered(api.GET('/events', { params: { query: { limit: events, network: currentNetwork() } }, signal })),
  });
  const newest = [...Map.groupBy(data?.events ?? [], ({ entity_id }) => entity_id)]
    .flatMap(([id, [last]]) => (last ? [{ id, ts: last.ts }] : []))
    .slice(0, lookedAt);
  // Of their own: they are what has just changed, and other names are not asked for at each move (shell/live-updates.tsx).
  const previews = useQueries({
    queries: newest.map(({ id }) => ({
      queryKey: ['recent', id],
      queryFn: ({ signal }: { signal: AbortSignal }) => fetchPreview(id, signal),
      staleTime: 60_000,
      retry: false,
    })),
  });
  const told = newest
    .map((one, i) => ({ ...one, known: previews[i]?.data, error: previews[i]?.error }))
    .filter(({ known }) => known?.type !== 'user')
    .slice(0, shown);
  if (told.length === 0) return null;
  return (
    <section aria-labelledby="start-recent">
      <h2 id="start-recent" className="mb-2 text-base font-semibold">
        {t('start.recent')}
      </h2>
      <ul className="space-y-2">
        {told.map(({ id, ts, known, error }) => {
          const gone = error instanceof Failure && error.kind === 'gone';
          return (
            <li key={id} className="min-w-0">
              <Link
                to={known?.type === 'collection' ? '/collections/$id' : '/entities/$id'}
                params={{ id }}
                className="block truncate hover:underline"
              >
                <bdi>{known ? known.label || t('entity.noLabel') : gone ? t('entity.deleted') : id}</bdi>
              </Link>
              <p className="truncate text-xs text-quiet">
                {known && <bdi>{known.type} · </bdi>}
                <time dateTime={ts}>{ago(new Date(ts))}</time>
              </p>
            </li>
          );
        })}
      </ul>
    </section>
  );
}
