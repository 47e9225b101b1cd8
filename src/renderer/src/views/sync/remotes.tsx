import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { CloudDownload, Plus } from 'lucide-react';
import { useCommands } from '../../commands/commands.ts';
import { stepCommands } from '../../commands/step-commands.ts';
import { Button, buttonClasses } from '../../components/button.tsx';
import { classes } from '../../components/classes.ts';
import { EmptyState } from '../../components/empty-state.tsx';
import { QueryState } from '../../components/query-state.tsx';
import { useActive } from '../../components/use-active.ts';
import { useIntoView } from '../../components/use-into-view.ts';
import { useTexts } from '../../messages/texts.tsx';
import { AddRemote } from './add-remote.tsx';
import { RunActions } from './run-actions.tsx';
import { RunProgress } from './run-progress.tsx';
import { Stand } from './stand.tsx';
import { SyncHead } from './sync-head.tsx';
import { type Remote, remotesQuery } from './sync-queries.ts';
import { inShort, standAtLength, useOneStand } from './use-one-stand.ts';
import { WatchSwitch } from './watch-switch.tsx';

const route = getRouteApi('/sync');

/** The nodes and services that this one syncs with, and how things stand with each. */
export function Remotes() {
  const { t } = useTexts();
  const list = useQuery(remotesQuery);
  useOneStand(list.data && standAtLength(list.data.remotes), inShort);
  const { add } = route.useSearch();
  const go = useNavigate({ from: '/sync' });
  const open = (adding: boolean) =>
    void go({ search: adding ? { add: true } : {}, replace: !adding, ignoreBlocker: true });
  const remotes = list.data?.remotes ?? [];
  const { at, put } = useActive(remotes.map(({ name }) => name));
  const here = remotes[at];
  const line = useIntoView<HTMLLIElement>(at, here?.name);
  const look = () => here && void go({ to: '/sync/remotes/$name', params: { name: here.name } });
  const group = t('group.list');
  useCommands([
    ...stepCommands(t, at, remotes.length, put),
    { id: 'open', label: t('list.open'), group, keys: ['Enter'], palette: false, run: look },
    { id: 'add-remote', label: t('sync.add'), group, keys: ['n'], run: () => open(true) },
  ]);
  return (
    <>
      <SyncHead
        about={t('sync.about')}
        actions={
          <Button look={remotes.length === 0 ? 'main' : 'plain'} onClick={() => open(true)}>
            <Plus size={15} aria-hidden />
            {t('sync.add')}
          </Button>
        }
      />
      <QueryState query={list} />
      {list.data && remotes.length === 0 && (
        <EmptyState icon={CloudDownload} title={t('sync.none')}>
          <p>{t('sync.noneAbout')}</p>
        </EmptyState>
      )}
      <ul className="grid grid-cols-1 max-w-6xl gap-4 p-5 xl:grid-cols-2">
        {remotes.map((remote, i) => (
          <li key={remote.name} ref={i === at ? line : null} className="min-w-0">
            <Card remote={remote} active={i === at} />
          </li>
        ))}
      </ul>
      <AddRemote open={add === true} onClose={() => open(false)} />
    </>
  );
}

/** `active`: the keys are at it. */
function Card({ remote, active }: { remote: Remote; active: boolean }) {
  const { t } = useTexts();
  const { name, url, direction, conflicts } = remote;
  return (
    <article
      aria-label={name}
      className={classes(
        'flex h-full flex-col gap-3 rounded-lg border border-line bg-surface p-4',
        active && 'shadow-[inset_3px_0_0_var(--color-accent)]',
      )}
    >
      <div>
        <h2 className="text-base font-semibold [overflow-wrap:anywhere]">
          <Link to="/sync/remotes/$name" params={{ name }} className="hover:underline">
            {name}
          </Link>
        </h2>
        <p className="text-xs break-all text-quiet">
          {url} · {t(`sync.direction.${direction}`)}
        </p>
      </div>
      <div className="flex-1">
        <Stand remote={remote} />
      </div>
      <RunProgress remote={remote} />
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <RunActions remote={remote} keys={active ? 's' : undefined} />
        {conflicts > 0 && (
          <Link to="/sync/conflicts" className={buttonClasses('main')}>
            {t('sync.decide')}
          </Link>
        )}
        <Link to="/sync/remotes/$name" params={{ name }} className={buttonClasses()}>
          {t('list.open')}
          <span className="sr-only">{name}</span>
        </Link>
        <WatchSwitch remote={remote} />
      </div>
    </article>
  );
}
