import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { Button } from '../components/button.tsx';
import { useTexts } from '../messages/texts.tsx';
import { useHealth } from '../session/health.ts';
import { sessionQuery } from '../session/session.ts';
import { Alone } from './signed-out.tsx';

/** The page is there, its node is not; it goes on by itself when the node answers. */
export function NoNode() {
  const { t } = useTexts();
  const queries = useQueryClient();
  const { isSuccess, refetch } = useHealth();
  useEffect(() => {
    if (isSuccess) void queries.invalidateQueries({ queryKey: sessionQuery.queryKey });
  }, [isSuccess, queries]);
  return (
    <Alone title={t('health.gone')}>
      <p className="text-quiet">{t('health.waitingForIt')}</p>
      <div>
        <Button onClick={() => void refetch()}>{t('action.retry')}</Button>
      </div>
    </Alone>
  );
}
