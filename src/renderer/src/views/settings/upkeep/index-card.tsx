import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import type { components } from '../../../api/schema.d.ts';
import { Button } from '../../../components/button.tsx';
import { Problem } from '../../../components/problem.tsx';
import { useTexts } from '../../../messages/texts.tsx';
import { statusQuery } from '../../start/status-query.ts';
import { Card } from '../section.tsx';
import { start, useRun } from './runs.ts';
import { TaskProgress } from './task-progress.tsx';

/** How far the search's index has come, and making it anew. */
export function IndexCard({ network }: { network: components['schemas']['NetworkStatusView'] }) {
  const { t, number, counted, bytes } = useTexts();
  const queries = useQueryClient();
  const run = useRun('reindex');
  const busy = run?.state === 'running';
  const finished = run?.state === 'done';
  useEffect(() => {
    if (finished) void queries.invalidateQueries({ queryKey: statusQuery.queryKey });
  }, [finished, queries]);
  const { moves, behind, learning, problem } = network.index;
  const state = behind ? (problem === null ? 'behind' : 'stuck') : learning ? 'learning' : 'current';
  return (
    <Card
      title={t('index.title')}
      about={t('index.about')}
      actions={
        <Button onClick={() => void start('reindex')} disabled={busy}>
          {t('index.start')}
        </Button>
      }
    >
      <p className={state === 'stuck' ? 'text-danger' : state === 'behind' ? 'text-warning' : ''}>
        {t(`index.${state}`, { moves: number(moves), changes: counted('count.changes', network.moves) })}{' '}
        <span className="text-quiet">{bytes(network.index_bytes)}</span>
      </p>
      {problem !== null && state !== 'stuck' && <p className="text-warning">{t('index.problem')}</p>}
      {problem !== null && (
        <p className="break-words" lang="en">
          {problem}
        </p>
      )}
      {busy && <TaskProgress label={t('index.title')} step={run.step} />}
      {run?.state === 'failed' && <Problem error={run.error} />}
      {finished && (
        <p role="status" className="font-medium text-good">
          {t('index.done', { count: run.result.entities, number: number(run.result.entities) })}
        </p>
      )}
    </Card>
  );
}
