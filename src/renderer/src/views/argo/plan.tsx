import { useTexts } from '../../messages/texts.tsx';
import type { Answer } from './argo-queries.ts';

/** How the node understood a query, step by step, and what it cost. */
export function Plan({ metadata }: { metadata: Answer['metadata'] }) {
  const { t, number } = useTexts();
  const { plan = '', k, k_explore, total_candidates_explored: explored, execution_time_ms: ms } = metadata;
  const [first = '', ...hops] = stepsOf(plan);
  return (
    <details className="px-5 py-2">
      <summary className="w-fit rounded py-1 font-medium">{t('argo.plan')}</summary>
      <div className="mt-1 max-w-4xl space-y-2 pb-1">
        <ol className="space-y-1">
          {[first, ...hops].map((step, i) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the steps of a plan have no other name
            <li key={i} className="grid grid-cols-[5rem_minmax(0,1fr)] items-baseline gap-2">
              <span className="text-xs text-quiet">
                {i === 0 ? t('argo.planEntry') : t('argo.planHop', { number: i })}
              </span>
              <code className="font-mono text-xs break-words">
                <bdi>{step}</bdi>
              </code>
            </li>
          ))}
        </ol>
        <p className="text-xs text-quiet">
          {t('argo.planCost', { explored: number(explored), ms: number(ms), k: number(k), beam: number(k_explore) })}
        </p>
      </div>
    </details>
  );
}

/** The parts of a plan between ` ; ` that stands in no text. */
function stepsOf(plan: string): string[] {
  return [...plan.matchAll(/(?:"(?:[^"\\]|\\.)*"|(?! ; )[^"])+/gs)].map(([part]) => part.replace(/^; /, ''));
}
