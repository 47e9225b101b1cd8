import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { Handshake } from 'lucide-react';
import { useCommands } from '../../commands/commands.ts';
import { stepCommands } from '../../commands/step-commands.ts';
import { classes } from '../../components/classes.ts';
import { EmptyState } from '../../components/empty-state.tsx';
import { Moment } from '../../components/moment.tsx';
import { QueryState } from '../../components/query-state.tsx';
import { useActive } from '../../components/use-active.ts';
import { useIntoView } from '../../components/use-into-view.ts';
import { useTexts } from '../../messages/texts.tsx';
import { RunActions } from './run-actions.tsx';
import { SyncHead } from './sync-head.tsx';
import { conflictsQuery, isArchive, remotesQuery } from './sync-queries.ts';

/** What was changed in the same place here and elsewhere, and waits for somebody to decide. */
export function Conflicts() {
  const { t, number } = useTexts();
  const go = useNavigate();
  const list = useQuery(conflictsQuery);
  const conflicts = list.data?.conflicts ?? [];
  const total = list.data?.total ?? 0;
  const names = conflicts.map(({ remote, id }) => `${remote} ${id}`);
  const { at, put } = useActive(names);
  const line = useIntoView<HTMLTableRowElement>(at, names[at]);
  const open = () => {
    const one = conflicts[at];
    if (one) void go({ to: '/sync/conflicts/$remote/$id', params: { remote: one.remote, id: one.id } });
  };
  useCommands([
    ...stepCommands(t, at, conflicts.length, put),
    { id: 'open', label: t('list.open'), group: t('group.list'), keys: ['Enter'], palette: false, run: open },
  ]);
  return (
    <>
      <SyncHead title={t('sync.conflicts')} about={t('sync.conflictsAbout')} />
      <QueryState query={list} />
      {list.data && conflicts.length === 0 && <Settled />}
      {conflicts.length > 0 && (
        <div ref={toItself} tabIndex={-1} className="outline-none">
          <table className="w-full table-fixed">
            <caption className="px-5 py-2 text-left text-quiet">
              {t('sync.conflictCount', { count: total, number: number(total) })}
            </caption>
            <thead className="text-left text-xs text-quiet">
              <tr className="border-y border-line">
                <th className="px-5 py-2 font-medium">{t('column.label')}</th>
                <th className="w-40 px-3 py-2 font-medium">{t('column.type')}</th>
                <th className="w-40 px-3 py-2 font-medium">{t('sync.with')}</th>
                <th className="hidden w-44 px-5 py-2 font-medium md:table-cell">{t('sync.found')}</th>
              </tr>
            </thead>
            <tbody>
              {conflicts.map(({ remote, id, type, label, found_at }, i) => (
                <tr
                  key={`${remote} ${id}`}
                  ref={i === at ? line : null}
                  className={classes('border-b border-line hover:bg-surface', i === at && 'bg-accent-soft')}
                >
                  <td className="truncate px-5 py-2">
                    <Link
                      to="/sync/conflicts/$remote/$id"
                      params={{ remote, id }}
                      className="font-medium hover:underline"
                      dir="auto"
                    >
                      {label?.slice(0, 300) || t('entity.noLabel')}
                    </Link>
                  </td>
                  <td className="truncate px-3 py-2">
                    <bdi>{type}</bdi>
                  </td>
                  <td className="truncate px-3 py-2" title={remote}>
                    {isArchive(remote) ? t('sync.archive') : remote}
                  </td>
                  <td className="hidden px-5 py-2 text-quiet md:table-cell">
                    <Moment at={found_at} />
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
          {total > conflicts.length && (
            <p className="px-5 py-2 text-quiet">
              {t('sync.conflictsMore', { number: number(total - conflicts.length) })}
            </p>
          )}
        </div>
      )}
    </>
  );
}

/** The keys are the list's as soon as it is there, whatever led to it. */
function toItself(list: HTMLElement | null): void {
  list?.focus({ preventScroll: true });
}

/** Nothing is left to decide; what was decided goes out with the next sync. */
function Settled() {
  const { t, number } = useTexts();
  const { data } = useQuery(remotesQuery);
  const waiting = data?.remotes.filter(({ pending }) => pending > 0) ?? [];
  return (
    <EmptyState icon={Handshake} title={t('sync.noConflicts')}>
      <p>{t('sync.noConflictsAbout')}</p>
      {waiting.map((remote) => (
        <div key={remote.name} className="flex flex-wrap items-center justify-center gap-3">
          <span className="[overflow-wrap:anywhere]">
            {remote.name}: {t('sync.now.pending', { count: remote.pending, number: number(remote.pending) })}
          </span>
          <RunActions remote={remote} />
        </div>
      ))}
    </EmptyState>
  );
}
