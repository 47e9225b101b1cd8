import { Link, useNavigate } from '@tanstack/react-router';
import { ArchiveRestore, RotateCcw } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { useCommands } from '../../../commands/commands.ts';
import { stepCommands } from '../../../commands/step-commands.ts';
import { AndMore } from '../../../components/and-more.tsx';
import { Button, buttonClasses } from '../../../components/button.tsx';
import { EmptyState } from '../../../components/empty-state.tsx';
import { KeyCaps } from '../../../components/key-caps.tsx';
import { More } from '../../../components/more.tsx';
import { onceEach } from '../../../components/once-each.ts';
import { PageHead } from '../../../components/page-head.tsx';
import { Progress } from '../../../components/progress.tsx';
import { QueryState } from '../../../components/query-state.tsx';
import { Said } from '../../../components/said.tsx';
import { useActive } from '../../../components/use-active.ts';
import { useTexts } from '../../../messages/texts.tsx';
import type { MessageKey } from '../../../messages/translate.ts';
import { WaitedFor } from '../waited-for.tsx';
import { DeletedLines, toggled } from './deleted-lines.tsx';
import type { useDeleted } from './deleted-query.ts';
import { useRestoreMany } from './use-restore-many.ts';

/** So many that could not be restored are named. */
const named = 20;

interface DeletedScreenProps {
  list: ReturnType<typeof useDeleted>;
  title: string;
  /** The screens beside this one. */
  views: ReactNode;
  /** What is said of how many there are, with `_one` and `_other`. */
  count: MessageKey;
  none: { title: MessageKey; about: MessageKey };
}

/** What was deleted, the last first; one or many can be brought back. */
export function DeletedScreen({ list, title, views, count, none }: DeletedScreenProps) {
  const { t, number, counted } = useTexts();
  const go = useNavigate();
  // Deletions by their CIDs: one that came since, of an entity that was restored, is another one.
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const restore = useRestoreMany();

  const rows = onceEach(list.data?.pages.flatMap((page) => page.rows) ?? []);
  const total = list.data?.pages.at(-1)?.total;
  const { at, put } = useActive(
    rows.map(({ cid }) => cid),
    true,
  );
  const here = rows[at];
  // What is no longer there is not selected any more.
  const selected = rows.filter((row) => chosen.has(row.cid));
  const restoreThese = () => restore.run(selected.length > 0 ? selected : here ? [here] : []);
  const group = t('group.list');
  useCommands([
    ...stepCommands(t, at, rows.length, put),
    {
      id: 'open',
      label: t('list.open'),
      group,
      keys: ['Enter'],
      palette: false,
      run: () => here && void go({ to: '/entities/$id', params: { id: here.id } }),
    },
    {
      id: 'select',
      label: t('list.select'),
      group,
      keys: ['x'],
      palette: false,
      run: () => here && setChosen(toggled(chosen, here.cid)),
    },
    ...(here ? [{ id: 'restore', label: t('entity.restore'), group, keys: ['r'], run: restoreThese }] : []),
    ...(selected.length > 0
      ? [{ id: 'clear', label: t('table.selectNone'), group, keys: ['Escape'], run: () => setChosen(new Set()) }]
      : []),
  ]);

  return (
    <>
      <PageHead
        above={<Link to="/collections">{t('collections.title')}</Link>}
        title={title}
        about={total !== undefined && <span role="status">{counted(count, total)}</span>}
        actions={
          <>
            {views}
            {selected.length > 0 && (
              <Button look="main" onClick={restoreThese} disabled={restore.busy}>
                <RotateCcw size={15} aria-hidden />
                {counted('deleted.restoreSelected', selected.length)}
                <KeyCaps keys="r" />
              </Button>
            )}
          </>
        }
      />
      <QueryState query={list}>
        <Link to="/collections" className={buttonClasses()}>
          {t('collections.title')}
        </Link>
      </QueryState>
      {restore.progress && <RestoreProgress {...restore.progress} onStop={restore.stop} />}
      {restore.failed.length > 0 && (
        <div role="alert" className="m-5 mb-0 rounded-md bg-danger-soft p-3">
          <p className="font-medium">{counted('deleted.failed', restore.failed.length)}</p>
          <ul className="mt-1 list-disc pl-5">
            {restore.failed.slice(0, named).map(({ row, error }) => (
              <li key={row.id}>
                <bdi>{row.label ?? row.id}</bdi>: <Said error={error} />
              </li>
            ))}
          </ul>
          <AndMore total={restore.failed.length} listed={named} />
        </div>
      )}
      {total === 0 && (
        <EmptyState icon={ArchiveRestore} title={t(none.title)}>
          <p>{t(none.about)}</p>
        </EmptyState>
      )}
      {rows.length > 0 && (
        <div className="min-h-40 flex-1 overflow-auto">
          <p className="px-5 py-2 text-quiet">{t('deleted.about')}</p>
          <DeletedLines
            rows={rows}
            active={at}
            selected={new Set(selected.map((row) => row.cid))}
            onSelect={setChosen}
            onRestore={(row) => restore.run([row])}
            busy={restore.busy}
          />
          <More list={list}>
            <span className="text-quiet">
              {t('bulk.ofAll', { done: number(rows.length), total: number(total ?? 0) })}
            </span>
          </More>
        </div>
      )}
    </>
  );
}

interface RestoreProgressProps {
  done: number;
  total: number;
  /** Why the node is waited for, while it is. */
  waiting: unknown;
  onStop(): void;
}

/** How far it has come; a single one is worth a word where it takes longer than it should. */
function RestoreProgress({ done, total, waiting, onStop }: RestoreProgressProps) {
  const { t } = useTexts();
  if (total === 1 && waiting === null) return null;
  return (
    <div className="space-y-2 px-5 py-3">
      <Progress label={t('bulk.progress')} done={done} total={total} />
      <p className="text-xs text-quiet">{t('bulk.ofAll', { done, total })}</p>
      {waiting !== null && <WaitedFor error={waiting} />}
      <Button onClick={onStop}>{t('bulk.stop')}</Button>
    </div>
  );
}
