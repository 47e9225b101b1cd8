import { useMutation, useQueryClient } from '@tanstack/react-query';
import { RefreshCw, Square } from 'lucide-react';
import { useState } from 'react';
import { answered, api } from '../../api/client.ts';
import { useCommands } from '../../commands/commands.ts';
import { Button } from '../../components/button.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { KeyCaps } from '../../components/key-caps.tsx';
import { Problem } from '../../components/problem.tsx';
import { useOnce } from '../../components/use-once.ts';
import { useTexts } from '../../messages/texts.tsx';
import { Headline } from './stand.tsx';
import { headline } from './stand-words.ts';
import { type Remote, remoteQuery } from './sync-queries.ts';

type Order = 'run' | 'accept' | 'stop' | 'watch' | 'unwatch';

/** Tells the node to do something with a remote; all that is shown of it is looked at again. */
export function useRemoteOrder(name: string) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (order: Order): Promise<Remote> => {
      const path = { name };
      if (order === 'stop') return answered(api.POST('/node/remotes/{name}/stop', { params: { path } }));
      if (order === 'watch' || order === 'unwatch')
        return answered(api.PUT('/node/remotes/{name}', { params: { path }, body: { watch: order === 'watch' } }));
      const query = order === 'accept' ? { accept_large_change: 'true' as const } : {};
      return answered(api.POST('/node/remotes/{name}/run', { params: { path, query } }));
    },
    onSuccess: (remote) => queries.setQueryData(remoteQuery(name).queryKey, remote),
    onSettled: () => queries.invalidateQueries({ queryKey: ['sync'] }),
  });
}

interface RunActionsProps {
  remote: Remote;
  main?: boolean;
  /** The key that begins and ends it, where there is one. */
  keys?: string | undefined;
}

/** Begins a sync, ends it, and says yes where one waits for somebody to look. */
export function RunActions({ remote, main = false, keys }: RunActionsProps) {
  const { t } = useTexts();
  const order = useRemoteOrder(remote.name);
  const [asking, setAsking] = useState(false);
  const { name, running, last_run: last } = remote;
  const once = useOnce();
  const toggle = () => once(() => order.mutateAsync(running ? 'stop' : 'run'));
  useCommands(
    keys === undefined
      ? []
      : [
          {
            id: 'sync',
            label: t(running ? 'sync.cancel' : 'sync.run'),
            group: t('group.remote'),
            keys: [keys],
            run: toggle,
          },
        ],
  );
  const stopped = running === null && last !== null && last.error === null && last.report.stop !== null;
  return (
    <>
      <div className="flex flex-wrap items-center gap-2">
        {running ? (
          <Button onClick={toggle} disabled={order.isPending}>
            <Square size={13} aria-hidden />
            {t('sync.cancel')}
            {keys && <KeyCaps keys={keys} />}
          </Button>
        ) : (
          <Button look={main ? 'main' : 'plain'} onClick={toggle} disabled={order.isPending}>
            <RefreshCw size={14} aria-hidden />
            {t('sync.run')}
            <span className="sr-only">{name}</span>
            {keys && <KeyCaps keys={keys} />}
          </Button>
        )}
        {stopped && <Button onClick={() => setAsking(true)}>{t('sync.look')}</Button>}
      </div>
      {order.error && <Problem error={order.error} />}
      <Dialog
        open={asking}
        onClose={() => setAsking(false)}
        title={t('sync.acceptTitle')}
        about={t('sync.acceptAbout')}
        actions={
          <>
            <Button onClick={() => setAsking(false)}>{t('action.cancel')}</Button>
            <Button
              look="danger"
              onClick={() => {
                setAsking(false);
                order.mutate('accept');
              }}
            >
              {t('sync.accept')}
            </Button>
          </>
        }
      >
        <Reason remote={remote} />
      </Dialog>
    </>
  );
}

function Reason({ remote }: { remote: Remote }) {
  const texts = useTexts();
  return <Headline sentence={headline(remote, texts)} />;
}
