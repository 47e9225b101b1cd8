import { useNavigate } from '@tanstack/react-router';
import { useRef, useState } from 'react';
import { useCommands } from '../../commands/commands.ts';
import { stepCommands } from '../../commands/step-commands.ts';
import { Button } from '../../components/button.tsx';
import { FilterBox } from '../../components/filter-box.tsx';
import { useTexts } from '../../messages/texts.tsx';
import { FoundPaths } from './found-paths.tsx';
import { NodeDetail } from './node-detail.tsx';
import { NodeList } from './node-list.tsx';
import type { useGraph } from './use-graph.ts';

interface SideListProps {
  graph: ReturnType<typeof useGraph>;
  active: string | null;
  onActive(id: string): void;
  onToggle(id: string): void;
  onExpand(ids: string[]): void;
}

/** The picture in words: its paths, its entities, and what the chosen one leads to. */
export function SideList({ graph, active, onActive, onToggle, onExpand }: SideListProps) {
  const { t } = useTexts();
  const go = useNavigate();
  const box = useRef<HTMLInputElement>(null);
  const [part, setPart] = useState('');
  const [stepped, setStepped] = useState<{ id: string } | null>(null);
  const wanted = part.trim().toLowerCase();
  const { nodes } = graph.picture;
  const listed = wanted === '' ? nodes : nodes.filter(({ label }) => label.toLowerCase().includes(wanted));
  const chosen = active === null ? undefined : nodes.find(({ id }) => id === active);
  const expansion = graph.expansions.find(({ id }) => id === active);
  const closed = nodes.filter(({ open }) => !open).map(({ id }) => id);

  const step = (id: string) => {
    onActive(id);
    setStepped({ id });
  };
  const at = listed.findIndex(({ id }) => id === active);
  const open = () => chosen && void go({ to: '/entities/$id', params: { id: chosen.id } });
  const toggle = () => chosen && onToggle(chosen.id);
  const group = t('group.list');
  useCommands([
    ...stepCommands(t, at, listed.length, (to) => listed[to] && step(listed[to].id)),
    { id: 'expand', label: t('graph.toggle'), group, keys: ['Enter'], palette: false, run: toggle },
    { id: 'open', label: t('list.open'), group, keys: ['o', 'e'], palette: false, run: open },
    { id: 'find', label: t('graph.find'), group, keys: ['/'], run: () => box.current?.focus() },
    { id: 'expand-all', label: t('graph.expandAll'), group, run: () => onExpand(closed) },
  ]);
  return (
    <aside
      aria-label={t('graph.list')}
      className="flex min-h-96 shrink-0 flex-col border-line bg-surface max-lg:border-t lg:min-h-0 lg:w-80 lg:border-l"
    >
      {graph.paths.length > 0 && <FoundPaths paths={graph.paths} onActive={onActive} />}
      <div className="flex items-center gap-2 border-b border-line px-3 py-1.5">
        <FilterBox
          ref={box}
          maxLength={200}
          value={part}
          onType={setPart}
          label={t('graph.find')}
          className="h-7 min-w-0 flex-1"
        />
        <Button small disabled={closed.length === 0} onClick={() => onExpand(closed)}>
          {t('graph.expandAll')}
        </Button>
      </div>
      {listed.length === 0 && <p className="p-3 text-quiet">{t('table.nothing')}</p>}
      <NodeList
        nodes={listed}
        active={active}
        stepped={stepped}
        ofType={graph.ofType}
        onActive={onActive}
        onToggle={onToggle}
      />
      {chosen && (
        <NodeDetail
          node={chosen}
          edges={graph.edges.get(chosen.id) ?? []}
          nodes={graph.gathered.nodes}
          total={expansion && expansion.totals.outgoing + expansion.totals.incoming}
          onActive={onActive}
        />
      )}
    </aside>
  );
}
