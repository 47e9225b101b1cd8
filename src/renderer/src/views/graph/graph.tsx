import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { Network } from 'lucide-react';
import { useRef, useState } from 'react';
import { Button } from '../../components/button.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { PageHead } from '../../components/page-head.tsx';
import { Problem } from '../../components/problem.tsx';
import { toast } from '../../components/toasts.tsx';
import { Waiting } from '../../components/waiting.tsx';
import { useTexts } from '../../messages/texts.tsx';
import { PeerPicker } from '../entity/relationships/peer-picker.tsx';
import { Canvas } from './canvas.tsx';
import { nameOf } from './drawing.ts';
import { GraphActions } from './graph-actions.tsx';
import { type GraphAddress, joined, mostOpen, usualMost } from './graph-address.ts';
import { Legend } from './legend.tsx';
import { PathFinder } from './path-finder.tsx';
import { mostNodes } from './picture.ts';
import { SideList } from './side-list.tsx';
import type { Stage } from './stage.ts';
import { useGraph } from './use-graph.ts';

const route = getRouteApi('/graph');

/** What entities lead to, as a picture that grows where one looks. What it shows is in the address. */
export function Graph() {
  const { t, number, counted } = useTexts();
  const address = route.useSearch();
  const go = useNavigate({ from: '/graph' });
  const graph = useGraph(address);
  const { ids, picture, gathered } = graph;
  const stage = useRef<Stage>(null);
  const [active, setActive] = useState<string | null>(null);
  const [arranging, setArranging] = useState(false);

  const change = (next: Partial<GraphAddress>, replace: boolean) =>
    void go({ search: (old) => ({ ...old, ...next }), replace });
  const expand = (more: readonly string[]) => {
    const all = [...new Set([...ids, ...more])];
    if (all.length > mostOpen) toast(t('graph.mostOpen', { most: mostOpen }));
    change({ of: joined(all.slice(0, mostOpen)) }, false);
  };
  const toggle = (id: string) => {
    if (ids.includes(id)) change({ of: joined(ids.filter((one) => one !== id)) }, false);
    else expand([id]);
  };
  const choose = (id: string) => {
    setActive(id);
    stage.current?.reveal(id);
  };

  const isEmpty = ids.length === 0 && graph.paths.length === 0;
  return (
    <>
      <PageHead
        title={t('graph.title')}
        about={
          !isEmpty && (
            <span role="status">
              {t('graph.showing', {
                entities: counted('count.entities', picture.nodes.length),
                shown: number(picture.edges.length),
                relationships: counted('count.relationships', gathered.total),
              })}
              {gathered.full && `. ${t('graph.full', { most: number(mostNodes) })}`}
              {arranging && ` · ${t('graph.arranging')}`}
            </span>
          )
        }
        actions={
          !isEmpty && (
            <GraphActions
              picture={picture}
              stage={stage}
              most={address.most ?? usualMost}
              onMost={(most) => change({ most }, true)}
            />
          )
        }
      />
      <div className="flex flex-wrap items-center gap-x-6 gap-y-2 border-b border-line px-5 py-2">
        <div className="w-56">
          <PeerPicker
            label={t('graph.add')}
            placeholder={t('graph.add')}
            collection={undefined}
            onChoose={({ id }) => {
              expand([id]);
              setActive(id);
            }}
          />
        </div>
        <PathFinder from={address.from} to={address.to} found={graph.found} onChange={(ends) => change(ends, false)} />
      </div>
      {(graph.failed.length > 0 || graph.found.error) && (
        <div className="space-y-2 p-3">
          {graph.failed.map(({ id, error, refetch }) => (
            <Problem key={id} error={error} retry={() => void refetch()}>
              <bdi className="self-center truncate font-medium">
                {nameOf(gathered.nodes.get(id) ?? { id, label: '' })}
              </bdi>
              <Button onClick={() => toggle(id)}>{t('graph.leaveOut')}</Button>
            </Problem>
          ))}
          {graph.found.error && <Problem error={graph.found.error} retry={() => void graph.found.refetch()} />}
        </div>
      )}
      {isEmpty && !graph.found.isFetching && (
        <EmptyState icon={Network} title={t('graph.empty')}>
          <p>{t('graph.emptyAbout')}</p>
        </EmptyState>
      )}
      {picture.nodes.length === 0 && (graph.pending || graph.found.isFetching) && <Waiting />}
      {picture.nodes.length > 0 && (
        <div className="flex min-h-0 flex-1 flex-col lg:flex-row">
          <Legend
            counts={graph.counts}
            without={graph.without}
            ofType={graph.ofType}
            onPredicates={(without) => change({ without }, true)}
            onTypes={(withoutTypes) => change({ withoutTypes }, true)}
          />
          <div className="relative min-h-96 min-w-0 flex-1 overflow-hidden bg-surface lg:min-h-60">
            <Canvas
              ref={stage}
              picture={picture}
              ofType={graph.ofType}
              active={active}
              onPoint={(id) => {
                setActive(id);
                if (!ids.includes(id)) expand([id]);
              }}
              onArranging={setArranging}
            />
          </div>
          <SideList graph={graph} active={active} onActive={choose} onToggle={toggle} onExpand={expand} />
        </div>
      )}
    </>
  );
}
