import { ArrowLeft, ArrowRight } from 'lucide-react';
import { useTexts } from '../../messages/texts.tsx';
import { nameOf } from './drawing.ts';
import type { GraphEdge, GraphNode } from './picture.ts';

interface NodeDetailProps {
  node: GraphNode;
  edges: readonly GraphEdge[];
  nodes: ReadonlyMap<string, GraphNode>;
  /** How many relationships it has, shown or not; known of open ones. */
  total: number | undefined;
  onActive(id: string): void;
}

/** So many relationships are listed; the picture shows the others, and the filters make them fewer. */
const most = 100;

/** To what the chosen entity leads in the picture, and what leads to it. */
export function NodeDetail({ node, edges, nodes, total, onActive }: NodeDetailProps) {
  const { t, number, counted } = useTexts();
  return (
    <section aria-labelledby="graph-chosen" className="flex max-h-[45%] shrink-0 flex-col border-t border-line">
      <div className="px-3 pt-2 pb-1">
        <h3 id="graph-chosen" className="line-clamp-2 font-semibold break-words">
          <bdi>{nameOf(node)}</bdi>
        </h3>
        <p className="text-xs text-quiet">
          <bdi>{node.type.slice(0, 100)}</bdi> ·{' '}
          {total === undefined
            ? t('graph.notExpanded', { count: edges.length, number: number(edges.length) })
            : t('graph.ofTotal', { shown: number(edges.length), relationships: counted('count.relationships', total) })}
        </p>
      </div>
      <ul aria-label={t('graph.itsRelationships')} className="min-h-0 overflow-auto pb-1">
        {edges.slice(0, most).map(({ from, to, predicate }) => {
          const peer = from === node.id ? to : from;
          const known = nodes.get(peer);
          const Arrow = from === node.id ? ArrowRight : ArrowLeft;
          return (
            <li key={`${from} ${predicate} ${to}`}>
              <button
                type="button"
                onClick={() => onActive(peer)}
                className="flex w-full items-center gap-1.5 px-3 py-0.5 text-left hover:bg-sunken"
              >
                <span className="max-w-28 shrink-0 truncate text-xs text-quiet">{predicate}</span>
                <Arrow
                  size={12}
                  className="shrink-0 text-quiet"
                  role="img"
                  aria-label={t(from === node.id ? 'graph.leadsTo' : 'graph.comesFrom')}
                />
                <bdi className="min-w-0 flex-1 truncate">{known ? nameOf(known) : peer}</bdi>
              </button>
            </li>
          );
        })}
      </ul>
      {edges.length > most && (
        <p className="px-3 pb-2 text-xs text-quiet">
          {t('relationship.moreIncoming', { shown: number(most), total: number(edges.length) })}
        </p>
      )}
    </section>
  );
}
