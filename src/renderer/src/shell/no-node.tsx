import { useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect } from 'react';
import { Failure } from '../api/failure.ts';
import { Button } from '../components/button.tsx';
import { Said } from '../components/said.tsx';
import { useTexts } from '../messages/texts.tsx';
import { useHealth } from '../session/health.ts';
import { sessionQuery } from '../session/session.ts';
import { Alone } from './signed-out.tsx';

/** One that answers, and does not say who asks, is asked again after so many milliseconds. */
const pause = 2000;

/** The page is there, its node is not, or cannot say who asks; it goes on by itself when that is known. */
export function NoNode() {
  const { t } = useTexts();
  const queries = useQueryClient();
  const { isSuccess, refetch } = useHealth();
  // To ask for it as other parts do would be one more question each time that this is shown.
  const error = queries.getQueryState(sessionQuery.queryKey)?.error;
  const isAway = error instanceof Failure && error.kind === 'unreachable';
  const look = useCallback(() => void queries.invalidateQueries({ queryKey: sessionQuery.queryKey }), [queries]);
  useEffect(() => {
    if (!isSuccess) return;
    const timer = setTimeout(look, isAway ? 0 : pause);
    return () => clearTimeout(timer);
  }, [isSuccess, isAway, look]);
  return (
    <Alone title={t(isAway ? 'health.gone' : 'error.title')}>
      <p className="text-quiet">{isAway ? t('health.waitingForIt') : <Said error={error} />}</p>
      <div>
        <Button onClick={isAway ? () => void refetch() : look}>{t('action.retry')}</Button>
      </div>
    </Alone>
  );
}
