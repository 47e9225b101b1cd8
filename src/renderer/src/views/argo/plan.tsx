import type { ReactNode } from 'react';
import { Text, useTexts } from '../../messages/texts.tsx';
import { PeerName } from '../entity/peer-name.tsx';
import type { Answer } from './argo-queries.ts';
import { type PlanEntry, type PlanHop, type PlanNode, planSteps } from './language/plan-steps.ts';

/** How the node understood a query, step by step, in words and as it writes it, and what it cost. */
export function Plan({ metadata }: { metadata: Answer['metadata'] }) {
  const { t, number, counted, milliseconds } = useTexts();
  const { plan = '', k, k_explore, total_candidates_explored: explored, execution_time_ms: ms } = metadata;
  return (
    <details className="px-5 py-2">
      <summary className="w-fit rounded py-1 font-medium">{t('argo.plan')}</summary>
      <div className="mt-1 max-w-4xl space-y-2 pb-1">
        <ol className="space-y-2">
          {planSteps(plan).map(({ notation, read }, i) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the steps of a plan have no other name
            <li key={i} className="grid grid-cols-[5rem_minmax(0,1fr)] items-baseline gap-2">
              <span className="text-xs text-quiet">
                {i === 0 ? t('argo.planEntry') : t('argo.planHop', { number: i })}
              </span>
              <div className="min-w-0">
                {read && (
                  <p className="break-words">{read.kind === 'entry' ? <Entry {...read} /> : <Hop {...read} />}</p>
                )}
                <code className="font-mono text-xs break-words text-quiet">
                  <bdi>{notation}</bdi>
                </code>
              </div>
            </li>
          ))}
        </ol>
        <p className="text-xs text-quiet">
          {t('argo.planCost', {
            entities: counted('count.entities', explored),
            time: milliseconds(ms),
            k: number(k),
            beam: number(k_explore),
          })}
        </p>
      </div>
    </details>
  );
}

function Entry({ scope, collection, start, filter }: PlanEntry): ReactNode {
  const { t } = useTexts();
  return (
    <>
      <What {...start} />
      {filter && filter.types.length > 0 && (
        <>
          {', '}
          <Text id="argo.words.only" types={<Types types={filter.types} />} />
        </>
      )}
      {filter && filter.id !== null && (
        <>
          {', '}
          <Text id="argo.words.onlyId" name={<PeerName id={filter.id} />} />
        </>
      )}
      {filter && filter.text !== null && (
        <>
          {', '}
          <Text id="argo.words.first" text={<bdi>{filter.text}</bdi>} />
        </>
      )}
      {scope !== null && (
        <>
          {'; '}
          {scope === 'collection' ? (
            <Text id="argo.words.scope" name={<PeerName id={collection ?? ''} />} />
          ) : (
            t(`argo.words.scope.${scope}`)
          )}
        </>
      )}
    </>
  );
}

function Hop({ direction, relations, least, most, target }: PlanHop): ReactNode {
  const { t, number, either } = useTexts();
  const times = { least: number(least), most: number(most) };
  return (
    <>
      {relations === null ? (
        t(`argo.words.any.${direction}`)
      ) : (
        <Text id={`argo.words.along.${direction}`} names={<bdi className="font-medium">{either(relations)}</bdi>} />
      )}
      {most > 1 && ` (${t(least === most ? 'argo.words.exactly' : 'argo.words.times', times)})`}
      {': '}
      {target === null ? t('argo.words.nothing') : <What {...target} />}
    </>
  );
}

function What({ types, text, id }: PlanNode): ReactNode {
  if (id !== null) return <Text id="argo.words.id" name={<PeerName id={id} />} />;
  if (types.length === 0) return <Text id="argo.words.text" text={<bdi className="font-medium">{text}</bdi>} />;
  return (
    <>
      <Text id="argo.words.types" types={<Types types={types} />} />
      {text !== null && (
        <>
          {', '}
          <Text id="argo.words.first" text={<bdi className="font-medium">{text}</bdi>} />
        </>
      )}
    </>
  );
}

function Types({ types }: { types: readonly string[] }) {
  const { either } = useTexts();
  return <bdi className="font-medium">{either(types)}</bdi>;
}
