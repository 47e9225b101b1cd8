import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { ChevronDown, ChevronRight } from 'lucide-react';
import { useState } from 'react';
import { Button } from '../../components/button.tsx';
import { classes } from '../../components/classes.ts';
import { Problem } from '../../components/problem.tsx';
import { Waiting } from '../../components/waiting.tsx';
import { useTexts } from '../../messages/texts.tsx';
import { showsMore } from '../../shell/focus-kept.ts';
import { PeerName } from '../entity/peer-name.tsx';
import { Comparison } from '../history/comparison.tsx';
import { type PendingChange, pendingQuery, type Remote } from './sync-queries.ts';
import { lineByLine, useOneStand } from './use-one-stand.ts';

/** What differs from what the remote has, and what the next sync would do there; nothing is sent by looking. */
export function Pending({ remote }: { remote: Remote }) {
  const { t, number } = useTexts();
  const { name, pending, direction, conflicts, refused, last_run: last } = remote;
  useOneStand([pending, conflicts, refused, last?.ended_at].join(' '), lineByLine);
  const pages = useInfiniteQuery(pendingQuery(name));
  const changes = pages.data?.pages.flatMap((page) => page.changes) ?? [];
  return (
    <section aria-labelledby="pending" className="space-y-2">
      <h2 id="pending" className="text-base font-semibold">
        {t('sync.pending')}
      </h2>
      <p className="text-quiet">
        {pending === 0
          ? t('sync.pendingNone')
          : t(direction === 'pull' ? 'sync.pendingPull' : 'sync.pendingAbout', {
              count: pending,
              number: number(pending),
            })}
      </p>
      {pages.isPending && <Waiting />}
      {pages.error && <Problem error={pages.error} retry={() => void pages.refetch()} />}
      {changes.length > 0 && (
        <ul className="divide-y divide-line rounded-lg border border-line bg-surface">
          {changes.map((change) => (
            <Line key={change.id} change={change} />
          ))}
        </ul>
      )}
      {pages.hasNextPage && (
        <Button {...showsMore} onClick={() => void pages.fetchNextPage()} disabled={pages.isFetchingNextPage}>
          {t('list.more')}
        </Button>
      )}
    </section>
  );
}

const tones: Partial<Record<PendingChange['intent'], string>> = {
  create: 'bg-good-soft text-good',
  delete: 'bg-danger-soft text-danger',
  none: 'bg-warning-soft text-warning',
};

function Line({ change }: { change: PendingChange }) {
  const { t } = useTexts();
  const { id, type, label, intent, standing, here, there, lacks } = change;
  const [open, setOpen] = useState(false);
  const Arrow = open ? ChevronDown : ChevronRight;
  const what = intent === 'none' ? t(`sync.waits.${standing}`) : t(`sync.intent.${intent}`);
  return (
    <li>
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1 px-3 py-1.5">
        <button
          type="button"
          aria-expanded={open}
          onClick={() => setOpen(!open)}
          disabled={here === null}
          className="flex min-w-0 flex-1 items-center gap-1.5 rounded py-0.5 text-left"
        >
          <Arrow size={14} className="shrink-0 text-quiet" aria-hidden />
          <bdi className="truncate font-medium">{label.slice(0, 300) || t('entity.noLabel')}</bdi>
          <bdi className="max-w-40 shrink-0 truncate text-xs text-quiet">{type}</bdi>
        </button>
        <span className={classes('rounded-full px-2 py-0.5 text-xs', tones[intent] ?? 'bg-accent-soft')}>{what}</span>
      </div>
      {open && here !== null && (
        <div className="border-t border-line">
          {lacks.length > 0 && (
            <div className="px-5 pt-3 text-warning">
              <p>{t('sync.lacks', { count: lacks.length })}</p>
              <ul className="list-disc pl-5">
                {lacks.slice(0, 10).map((peer) => (
                  <li key={peer}>
                    <PeerName id={peer} />
                  </li>
                ))}
              </ul>
            </div>
          )}
          <Comparison from={there ?? ''} to={here} />
          <p className="px-5 pb-3">
            <Link to="/entities/$id" params={{ id }} className="text-accent underline">
              {t('sync.openEntity')}
            </Link>
          </p>
        </div>
      )}
    </li>
  );
}
