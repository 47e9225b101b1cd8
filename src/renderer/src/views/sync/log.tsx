import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { ScrollText } from 'lucide-react';
import { Button } from '../../components/button.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { Select } from '../../components/field.tsx';
import { QueryState } from '../../components/query-state.tsx';
import { useTexts } from '../../messages/texts.tsx';
import { showsMore } from '../../shell/focus-kept.ts';
import { isKind, kinds } from './log-address.ts';
import { LogLine } from './log-line.tsx';
import { syncStateQuery } from './state-query.ts';
import { SyncHead } from './sync-head.tsx';
import { logQuery } from './sync-queries.ts';

const route = getRouteApi('/sync/log');

/** What happened between this node and its remotes, newest first; what is shown of it is in the address. */
export function SyncLog() {
  const { t, date } = useTexts();
  const filter = route.useSearch();
  const go = useNavigate({ from: '/sync/log' });
  const log = useInfiniteQuery(logQuery(filter));
  const { data: state } = useQuery(syncStateQuery);
  const events = log.data?.pages.flatMap((page) => page.events) ?? [];
  const days = [...Map.groupBy(events, ({ time }) => date(new Date(time)))];
  const names = [
    ...new Set([...(state?.remotes.map(({ name }) => name) ?? []), ...(filter.remote ? [filter.remote] : [])]),
  ];
  const narrow = filter.remote !== undefined || filter.kind !== undefined;
  return (
    <>
      <SyncHead title={t('sync.log')} about={t('sync.logAbout')} />
      <div className="flex flex-wrap gap-3 px-5 pt-4">
        <Select
          aria-label={t('sync.filterRemote')}
          className="w-48"
          value={filter.remote ?? ''}
          onChange={({ target }) =>
            void go({ search: ({ remote: _, ...old }) => (target.value ? { ...old, remote: target.value } : old) })
          }
        >
          <option value="">{t('sync.allRemotes')}</option>
          {names.map((name) => (
            <option key={name} value={name}>
              {name}
            </option>
          ))}
        </Select>
        <Select
          aria-label={t('sync.filterKind')}
          className="w-64"
          value={filter.kind ?? ''}
          onChange={({ target }) =>
            void go({ search: ({ kind: _, ...old }) => (isKind(target.value) ? { ...old, kind: target.value } : old) })
          }
        >
          <option value="">{t('sync.allKinds')}</option>
          {kinds.map((kind) => (
            <option key={kind} value={kind}>
              {t(`sync.kind.${kind}`)}
            </option>
          ))}
        </Select>
      </div>
      <QueryState query={log} />
      {log.data && events.length === 0 && (
        <EmptyState icon={ScrollText} title={t(narrow ? 'table.nothing' : 'sync.logEmpty')}>
          {narrow ? (
            <Button onClick={() => void go({ search: {} })}>{t('table.showAll')}</Button>
          ) : (
            <p>{t('sync.logEmptyAbout')}</p>
          )}
        </EmptyState>
      )}
      <div className="max-w-5xl space-y-5 p-5">
        {days.map(([day, of]) => (
          <section key={day} aria-label={day}>
            <h2 className="mb-1 text-xs font-medium text-quiet">{day}</h2>
            <ol className="divide-y divide-line rounded-lg border border-line bg-surface">
              {of.map((event) => (
                <LogLine key={event.seq} event={event} />
              ))}
            </ol>
          </section>
        ))}
        {log.hasNextPage && (
          <Button {...showsMore} onClick={() => void log.fetchNextPage()} disabled={log.isFetchingNextPage}>
            {t('sync.older')}
          </Button>
        )}
      </div>
    </>
  );
}
