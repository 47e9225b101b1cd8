import { ResultList, ResultName, ResultText } from '../../components/result-list.tsx';
import { useTexts } from '../../messages/texts.tsx';
import type { Result } from './argo-queries.ts';
import { PathLine, rounded } from './path-line.tsx';

interface ResultsProps {
  results: readonly Result[];
  /** The one that the keys are at. */
  active: number;
  /** Whether they are those of what was asked before. */
  late: boolean;
}

/** What a query found, the best first, each with the way that led to it. */
export function Results({ results, active, late }: ResultsProps) {
  const { t, number } = useTexts();
  return (
    <div className="border-y border-line">
      <ResultList
        items={results}
        keyOf={({ entity: { id } }) => id}
        active={active}
        late={late}
        line="grid grid-cols-[3rem_minmax(0,1fr)] gap-x-3 py-2.5"
        show={({ entity: { id, label, type, preview_data }, path, score }) => (
          <>
            <Score value={score} />
            <div className="min-w-0 space-y-1">
              {path.length > 0 ? (
                <PathLine steps={path} end={{ id, label, type }} />
              ) : (
                <div className="flex items-baseline gap-3">
                  <ResultName id={id} label={label} type={type} />
                </div>
              )}
              <ResultText text={preview_data?.description_preview ?? preview_data?.text_preview} lines="line-clamp-1" />
            </div>
          </>
        )}
      />
    </div>
  );

  function Score({ value }: { value: number }) {
    return (
      <span title={t('argo.score')} className="pt-0.5">
        <span className="sr-only">{t('argo.score')} </span>
        <span className="text-xs text-quiet tabular-nums">{number(rounded(value))}</span>
        <span aria-hidden className="mt-0.5 block h-1 overflow-hidden rounded-full bg-sunken">
          <span className="block h-full bg-accent" style={{ width: `${Math.max(0, Math.min(1, value)) * 100}%` }} />
        </span>
      </span>
    );
  }
}
