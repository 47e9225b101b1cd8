import { ChevronDown, Route } from 'lucide-react';
import { useTexts } from '../../messages/texts.tsx';
import { nameOf } from './drawing.ts';
import type { Path } from './graph-queries.ts';

/** So many ways are told in words; the picture has all. */
const most = 10;

/** The ways that were found, in words, the shortest first. */
export function FoundPaths({ paths, onActive }: { paths: readonly Path[]; onActive(id: string): void }) {
  const { t } = useTexts();
  return (
    <details open className="group max-h-[40%] shrink-0 overflow-auto border-b border-line">
      <summary className="sticky top-0 flex items-center gap-2 bg-surface px-3 py-1.5 font-medium">
        <Route size={14} aria-hidden />
        {t('graph.foundPaths')}
        <ChevronDown size={14} className="ml-auto text-quiet group-open:rotate-180" aria-hidden />
      </summary>
      <ol className="list-decimal space-y-1.5 pr-3 pb-2 pl-8">
        {paths.slice(0, most).map((path) => (
          <li key={path.edges.map((one) => `${one.subject_id} ${one.predicate} ${one.object_id}`).join()}>
            {stepsOf(path).map(({ id, label, by }) => (
              <span key={id}>
                {by && <span className="text-xs text-quiet"> {by} </span>}
                <button type="button" onClick={() => onActive(id)} className="rounded text-left hover:underline">
                  <bdi>{nameOf({ id, label })}</bdi>
                </button>
              </span>
            ))}
          </li>
        ))}
      </ol>
    </details>
  );
}

/** The entities on the way, each but the first with the relationship by which one comes to it. */
function stepsOf({ source_id, edges }: Path): { id: string; label: string; by: string | null }[] {
  let at = source_id;
  const first = edges[0];
  const start = first?.subject_id === at ? first.subject_label : (first?.object_label ?? '');
  return [
    { id: at, label: start, by: null },
    ...edges.map(({ subject_id, subject_label, predicate, object_id, object_label }) => {
      const outgoing = subject_id === at;
      at = outgoing ? object_id : subject_id;
      return {
        id: at,
        label: outgoing ? object_label : subject_label,
        by: outgoing ? `${predicate} →` : `← ${predicate}`,
      };
    }),
  ];
}
