import { useQueries, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { answered, api, currentNetwork } from '../../api/client.ts';
import { Failure } from '../../api/failure.ts';
import { useTexts } from '../../messages/texts.tsx';
import { previewQuery } from '../entity/entity-queries.ts';

/** So many entities. Some that changed last are the node's own business, so more are looked at. */
const shown = 6;
const lookedAt = 40;

/** The entities that changed last, by whomever, also by a sync. */
export function RecentChanges() {
  const { t, ago } = useTexts();
  const { data } = useQuery({
    queryKey: ['recent', currentNetwork()],
    queryFn: ({ signal }) =>
      answered(api.GET('/events', { params: { query: { limit: lookedAt, network: currentNetwork() } }, signal })),
  });
  const newest = [...Map.groupBy(data?.events ?? [], ({ entity_id }) => entity_id)]
    .flatMap(([id, [last]]) => (last ? [{ id, ts: last.ts }] : []))
    .slice(0, shown);
  const previews = useQueries({ queries: newest.map(({ id }) => previewQuery(id)) });
  if (newest.length === 0) return null;
  return (
    <section aria-labelledby="start-recent">
      <h2 id="start-recent" className="mb-2 text-base font-semibold">
        {t('start.recent')}
      </h2>
      <ul className="space-y-2">
        {newest.map(({ id, ts }, i) => {
          const { data: known, error } = previews[i] ?? {};
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
