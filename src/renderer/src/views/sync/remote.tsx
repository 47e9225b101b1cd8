import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { EllipsisVertical } from 'lucide-react';
import { useState } from 'react';
import { Failure } from '../../api/failure.ts';
import { useCommands } from '../../commands/commands.ts';
import { Button, buttonClasses, IconButton } from '../../components/button.tsx';
import { Copied } from '../../components/copied.tsx';
import { Menu, MenuItem } from '../../components/menu.tsx';
import { Problem } from '../../components/problem.tsx';
import { Waiting } from '../../components/waiting.tsx';
import { useTexts } from '../../messages/texts.tsx';
import { Pending } from './pending.tsx';
import { RekeyRemote } from './rekey-remote.tsx';
import { RemoteSettings } from './remote-settings.tsx';
import { RemoveRemote } from './remove-remote.tsx';
import { RenameRemote } from './rename-remote.tsx';
import { RunActions } from './run-actions.tsx';
import { RunProgress } from './run-progress.tsx';
import { Stand } from './stand.tsx';
import { SyncHead } from './sync-head.tsx';
import { type Remote, remoteQuery } from './sync-queries.ts';
import { Troubles } from './troubles.tsx';
import { inShort, standAtLength, useOneStand } from './use-one-stand.ts';

const route = getRouteApi('/sync/remotes/$name');

/** One remote: how things stand, what waits to go there, what was not taken, and its settings. */
export function RemoteScreen() {
  const { t } = useTexts();
  const { name } = route.useParams();
  const remote = useQuery(remoteQuery(name));
  useOneStand(remote.data && standAtLength([remote.data]), inShort);
  // What is typed stays where the remote gets another name.
  const [renamed, setRenamed] = useState<{ from: string; to: string } | null>(null);
  const key = renamed?.to === name ? renamed.from : name;
  const isGone = remote.error instanceof Failure && remote.error.kind === 'missing';
  return (
    <>
      {!remote.data && <SyncHead title={name} above={<Above />} />}
      {remote.isPending && <Waiting />}
      {remote.error && !remote.data && (
        <div className="p-5">
          <Problem error={remote.error} retry={() => void remote.refetch()}>
            <Link to="/sync" className={buttonClasses()}>
              {t('sync.toAll')}
            </Link>
          </Problem>
        </div>
      )}
      {/* What is typed below stays, for the one of another name. */}
      {isGone && remote.data && (
        <div className="p-5">
          <Problem error={remote.error}>
            <p className="w-full">{t('sync.remoteGone', { name })}</p>
            <Link to="/sync" className={buttonClasses()}>
              {t('sync.toAll')}
            </Link>
          </Problem>
        </div>
      )}
      {remote.data && <Known key={key} remote={remote.data} onRenamed={(to) => setRenamed({ from: key, to })} />}
    </>
  );
}

function Above() {
  const { t } = useTexts();
  return (
    <Link to="/sync" className="hover:underline">
      {t('sync.remotes')}
    </Link>
  );
}

function Known({ remote, onRenamed }: { remote: Remote; onRenamed(to: string): void }) {
  const { t } = useTexts();
  const { name, url, user, instance, direction, conflicts, last_run: last } = remote;
  const [dialog, setDialog] = useState<'rename' | 'rekey' | 'remove' | null>(null);
  useCommands([
    { id: 'rename-remote', label: t('sync.rename'), group: t('group.remote'), run: () => setDialog('rename') },
    { id: 'rekey-remote', label: t('sync.rekey'), group: t('group.remote'), run: () => setDialog('rekey') },
    { id: 'remove-remote', label: t('sync.remove'), group: t('group.remote'), run: () => setDialog('remove') },
  ]);
  return (
    <>
      <SyncHead
        title={name}
        above={<Above />}
        about={
          <span className="flex flex-wrap items-center gap-x-3">
            <span className="break-all">{url}</span>
            <span>{t(`sync.direction.${direction}`)}</span>
            {user !== null && (
              <span>
                {t('sync.asUser')} <Copied text={user} />
              </span>
            )}
            <span>{t(instance === null ? 'sync.service' : 'sync.node')}</span>
          </span>
        }
        actions={
          <Menu
            trigger={
              <IconButton label={t('entity.more')}>
                <EllipsisVertical size={16} aria-hidden />
              </IconButton>
            }
          >
            <MenuItem onSelect={() => setDialog('rename')}>{t('sync.rename')}</MenuItem>
            <MenuItem onSelect={() => setDialog('rekey')}>{t('sync.rekey')}</MenuItem>
            <MenuItem onSelect={() => setDialog('remove')}>{t('sync.remove')}</MenuItem>
          </Menu>
        }
      />
      <div className="grid grid-cols-1 items-start gap-x-8 gap-y-6 p-5 lg:grid-cols-[minmax(0,1fr)_22rem]">
        <div className="min-w-0 space-y-6">
          <section aria-label={t('sync.standLabel')} className="space-y-3 rounded-lg border border-line bg-surface p-4">
            <Stand remote={remote} />
            <RunProgress remote={remote} />
            <div className="flex flex-wrap items-center gap-2">
              <RunActions remote={remote} main={conflicts === 0} keys="s" />
              {last?.fault === 'denied' && <Button onClick={() => setDialog('rekey')}>{t('sync.rekey')}</Button>}
              {conflicts > 0 && (
                <Link to="/sync/conflicts" className={buttonClasses('main')}>
                  {t('sync.decide')}
                </Link>
              )}
              <Link to="/sync/log" search={{ remote: name }} className={buttonClasses('quiet')}>
                {t('sync.log')}
              </Link>
            </div>
          </section>
          <Pending remote={remote} />
          <Troubles remote={remote} />
        </div>
        <RemoteSettings remote={remote} />
      </div>
      <RenameRemote name={name} open={dialog === 'rename'} onRenamed={onRenamed} onClose={() => setDialog(null)} />
      <RekeyRemote remote={remote} open={dialog === 'rekey'} onClose={() => setDialog(null)} />
      <RemoveRemote remote={remote} open={dialog === 'remove'} onClose={() => setDialog(null)} />
    </>
  );
}
