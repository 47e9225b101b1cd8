import { useState } from 'react';
import { Problem } from '../../components/problem.tsx';
import { useTexts } from '../../messages/texts.tsx';
import { useRemoteOrder } from './run-actions.tsx';
import type { Remote } from './sync-queries.ts';

/** Whether the node keeps in step with a remote by itself. */
export function WatchSwitch({ remote: { name, watch } }: { remote: Remote }) {
  const { t } = useTexts();
  const order = useRemoteOrder(name);
  /** As it was chosen, until the node has answered. */
  const [wanted, setWanted] = useState<boolean>();
  return (
    <>
      <label className="flex items-center gap-2">
        <input
          type="checkbox"
          className="size-4 accent-accent"
          checked={wanted ?? watch}
          onChange={({ target: { checked } }) => {
            setWanted(checked);
            order.mutate(checked ? 'watch' : 'unwatch', { onSettled: () => setWanted(undefined) });
          }}
        />
        {t('sync.watch.switch')}
        <span className="sr-only">{name}</span>
      </label>
      {order.error && <Problem error={order.error} />}
    </>
  );
}
