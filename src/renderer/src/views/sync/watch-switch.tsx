import { Problem } from '../../components/problem.tsx';
import { useTexts } from '../../messages/texts.tsx';
import { useRemoteOrder } from './run-actions.tsx';
import type { Remote } from './sync-queries.ts';

/** Whether the node keeps in step with a remote by itself. */
export function WatchSwitch({ remote: { name, watch } }: { remote: Remote }) {
  const { t } = useTexts();
  const order = useRemoteOrder(name);
  return (
    <>
      <label className="flex items-center gap-2">
        <input
          type="checkbox"
          className="size-4 accent-accent"
          checked={order.isPending ? order.variables === 'watch' : watch}
          onChange={({ target }) => order.mutate(target.checked ? 'watch' : 'unwatch')}
        />
        {t('sync.watch.switch')}
        <span className="sr-only">{name}</span>
      </label>
      {order.error && <Problem error={order.error} />}
    </>
  );
}
