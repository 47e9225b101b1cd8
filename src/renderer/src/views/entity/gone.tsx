import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { Trash2 } from 'lucide-react';
import type { Failure } from '../../api/failure.ts';
import { useCommands } from '../../commands/commands.ts';
import { Button, buttonClasses } from '../../components/button.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { KeyCaps } from '../../components/key-caps.tsx';
import { PageHead } from '../../components/page-head.tsx';
import { Problem } from '../../components/problem.tsx';
import { useTexts } from '../../messages/texts.tsx';
import { versionQuery, versionsQuery } from '../history/history-queries.ts';
import { takeDraft, useTyped } from './draft.ts';
import { useRestore } from './use-restore.ts';

/** A deleted entity: when that was, its history, and the way back. */
export function Gone({ id, failure }: { id: string; failure: Failure }) {
  const { t, dateTime } = useTexts();
  const go = useNavigate();
  const name = useLastName(id);
  const drafted = useTyped(id) !== undefined;
  const { deleted_at } = failure.details as { deleted_at?: string };
  const { restore, isPending, error } = useRestore(id, failure);
  const group = t('group.entity');
  useCommands([
    { id: 'restore', label: t('entity.restore'), group, keys: ['r'], run: restore },
    {
      id: 'history',
      label: t('history.title'),
      group,
      keys: ['h'],
      run: () => void go({ to: '/entities/$id/history', params: { id } }),
    },
  ]);
  return (
    <>
      <PageHead title={name ?? t('entity.deleted')} above={<code className="font-mono">{id}</code>} />
      <EmptyState
        icon={Trash2}
        title={deleted_at ? t('entity.deletedAt', { time: dateTime(deleted_at) }) : t('entity.deleted')}
      >
        <p>{t('entity.deletedAbout')}</p>
        <div className="flex justify-center gap-2">
          <Button look="main" onClick={restore} disabled={isPending}>
            {t('entity.restore')}
            <KeyCaps keys="r" />
          </Button>
          <Link to="/entities/$id/history" params={{ id }} className={buttonClasses()}>
            {t('history.title')}
            <KeyCaps keys="h" />
          </Link>
        </div>
        {drafted && (
          <div role="alert" className="space-y-2 rounded-md bg-warning-soft px-3 py-2">
            <p>{t('entity.deletedTyped')}</p>
            <Button onClick={() => void takeDraft(id)}>{t('save.discard')}</Button>
          </div>
        )}
        {error && <Problem error={error} />}
      </EmptyState>
    </>
  );
}

/** What it was called before it was deleted. */
function useLastName(id: string): string | undefined {
  const chain = useInfiniteQuery(versionsQuery(id));
  const before = chain.data?.pages[0]?.versions[1]?.cid;
  const label = useQuery(versionQuery(before ?? '')).data?.properties?.label;
  return typeof label === 'string' && label.trim() !== '' ? label.slice(0, 500) : undefined;
}
