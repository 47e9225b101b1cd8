import { Link } from '@tanstack/react-router';
import { useTexts } from '../../messages/texts.tsx';
import type { Step } from './argo-queries.ts';

/** An entity at a path's end, or on it. */
export interface Stop {
  id: string;
  label: string;
  type: string;
}

/** A way through the graph: entities as links, relationships as arrows in the direction in which they were made. */
export function PathLine({ steps, end }: { steps: readonly Step[]; end?: Stop }) {
  const { t } = useTexts();
  return (
    <ol aria-label={t('argo.path')} className="flex flex-wrap items-center gap-y-1">
      {steps.map((step, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the steps of a path have no other name
        <li key={i} className="flex max-w-full min-w-0 items-center">
          {step.entity === undefined ? <Arrow step={step} /> : <Entity stop={stopOf(step)} score={step.score} />}
        </li>
      ))}
      {end && (
        <li className="flex max-w-full min-w-0 items-center">
          <Entity stop={end} strong />
        </li>
      )}
    </ol>
  );
}

function stopOf({ entity = '', label = '', type = '' }: Step): Stop {
  return { id: entity, label, type };
}

function Entity({
  stop: { id, label, type },
  score,
  strong,
}: {
  stop: Stop;
  score?: number | undefined;
  strong?: true;
}) {
  const { t, number } = useTexts();
  return (
    <span
      className={`flex max-w-72 min-w-0 items-baseline gap-1.5 rounded-md border px-2 py-0.5 ${strong ? 'border-accent bg-accent-soft' : 'border-line bg-surface'}`}
    >
      <Link
        to="/entities/$id"
        params={{ id }}
        className={`min-w-0 truncate hover:underline ${strong ? 'font-medium' : ''}`}
      >
        <bdi>{label.slice(0, 200) || t('entity.noLabel')}</bdi>
      </Link>
      <bdi className="max-w-24 shrink-0 truncate text-xs text-quiet">{type.slice(0, 100)}</bdi>
      {score !== undefined && (
        <span className="text-xs text-quiet tabular-nums" title={t('argo.near')}>
          {number(rounded(score))}
        </span>
      )}
    </span>
  );
}

function Arrow({ step: { edge = '', direction, score } }: { step: Step }) {
  const { t, number } = useTexts();
  const back = direction === 'incoming';
  return (
    <span className="flex max-w-full min-w-0 items-center px-1 text-xs text-warning">
      <span className="sr-only">{t(back ? 'argo.ledBy' : 'argo.leads', { predicate: edge })}</span>
      <span aria-hidden className="flex min-w-0 items-center">
        {back ? '◂' : ''}
        <span className="w-3 border-t border-current" />
        <bdi className="max-w-60 truncate px-1">{edge}</bdi>
        {score !== undefined && <span className="pr-1 tabular-nums">≈ {number(rounded(score))}</span>}
        <span className="w-3 border-t border-current" />
        {back ? '' : '▸'}
      </span>
    </span>
  );
}

/** A score as it is read: two places. */
export function rounded(score: number): number {
  return Math.round(score * 100) / 100;
}
