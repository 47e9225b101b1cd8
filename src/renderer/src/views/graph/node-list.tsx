import { Link } from '@tanstack/react-router';
import { useVirtualizer } from '@tanstack/react-virtual';
import { Minus, Plus } from 'lucide-react';
import { useEffect, useLayoutEffect, useRef } from 'react';
import { IconButton } from '../../components/button.tsx';
import { classes } from '../../components/classes.ts';
import { useTexts } from '../../messages/texts.tsx';
import { nameOf } from './drawing.ts';
import type { GraphNode } from './picture.ts';

interface NodeListProps {
  nodes: readonly GraphNode[];
  active: string | null;
  /** What keys have chosen last, which has the focus then; another object each time. */
  stepped: { id: string } | null;
  ofType(type: string): string;
  onActive(id: string): void;
  onToggle(id: string): void;
}

const rowHeight = 36;

/**
 * The entities of the picture, for keyboards and screen readers: each can be chosen, expanded and gone to. What is chosen
 * already is expanded by its name as well.
 */
export function NodeList({ nodes, active, stepped, ofType, onActive, onToggle }: NodeListProps) {
  const { t } = useTexts();
  const scroller = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count: nodes.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: 8,
  });
  const at = nodes.findIndex(({ id }) => id === active);
  useEffect(() => {
    if (at >= 0) virtual.scrollToIndex(at, { align: 'auto' });
  }, [at, virtual]);
  // Before the next key: Enter would choose the line again that had the focus until then.
  useLayoutEffect(() => {
    if (!stepped) return;
    const focus = () => {
      const name = scroller.current?.querySelector<HTMLElement>(`[data-id="${stepped.id}"] [data-name]`);
      name?.focus({ preventScroll: true });
      // Where there is little room the list stands below the picture, out of sight.
      void name?.scrollIntoView({ block: 'nearest' });
      return name != null;
    };
    if (focus()) return;
    // The line may come into being only now.
    const frame = requestAnimationFrame(focus);
    return () => cancelAnimationFrame(frame);
  }, [stepped]);
  return (
    <div ref={scroller} className="min-h-40 flex-1 overflow-auto">
      <ul aria-label={t('graph.entities')} className="relative" style={{ height: virtual.getTotalSize() }}>
        {virtual.getVirtualItems().map(({ index, start }) => {
          const node = nodes[index]!;
          const name = nameOf(node);
          return (
            <li
              key={node.id}
              data-id={node.id}
              aria-setsize={nodes.length}
              aria-posinset={index + 1}
              style={{ top: start, height: rowHeight }}
              className={classes(
                'absolute inset-x-0 flex items-center gap-2 pr-2 pl-3',
                index === at ? 'bg-accent-soft shadow-[inset_3px_0_0_var(--color-accent)]' : 'hover:bg-sunken',
              )}
            >
              <span className="size-2.5 shrink-0 rounded-full" style={{ background: ofType(node.type) }} aria-hidden />
              <button
                type="button"
                data-name
                aria-current={index === at || undefined}
                onClick={() => (index === at ? onToggle(node.id) : onActive(node.id))}
                className="flex min-w-0 flex-1 items-baseline gap-2 rounded text-left"
              >
                <bdi className={classes('min-w-0 flex-1 truncate', node.open && 'font-medium')}>{name}</bdi>
                <bdi className="max-w-24 shrink-0 truncate text-xs text-quiet">{node.type.slice(0, 100)}</bdi>
              </button>
              <IconButton
                small
                label={t(node.open ? 'graph.collapse' : 'graph.expand', { name })}
                aria-expanded={node.open}
                onClick={() => onToggle(node.id)}
              >
                {node.open ? <Minus size={13} aria-hidden /> : <Plus size={13} aria-hidden />}
              </IconButton>
              <Link
                to="/entities/$id"
                params={{ id: node.id }}
                className="shrink-0 rounded px-1 text-xs text-accent underline"
                aria-label={t('graph.open', { name })}
              >
                {t('list.open')}
              </Link>
            </li>
          );
        })}
      </ul>
    </div>
  );
}
