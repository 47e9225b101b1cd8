import type { UseQueryResult } from '@tanstack/react-query';
import { ArrowRight, X } from 'lucide-react';
import type { components } from '../../api/schema.d.ts';
import { Button } from '../../components/button.tsx';
import { useTexts } from '../../messages/texts.tsx';
import { PeerName } from '../entity/peer-name.tsx';
import { PeerPicker } from '../entity/relationships/peer-picker.tsx';
import { longestPath } from './graph-queries.ts';

interface PathFinderProps {
  from: string | undefined;
  to: string | undefined;
  found: UseQueryResult<components['schemas']['PathsView']>;
  onChange(ends: { from?: string | undefined; to?: string | undefined }): void;
}

/** Between which two entities ways are sought, and what was found. */
export function PathFinder({ from, to, found, onChange }: PathFinderProps) {
  const { t } = useTexts();
  return (
    <fieldset className="flex min-w-0 flex-wrap items-center gap-2">
      <legend className="float-left mr-1 text-xs font-medium text-quiet">{t('graph.paths')}</legend>
      <End label={t('graph.from')} id={from} onChange={(id) => onChange({ from: id })} />
      <ArrowRight size={14} className="text-quiet" aria-hidden />
      <End label={t('graph.to')} id={to} onChange={(id) => onChange({ to: id })} />
      <span role="status" className="text-quiet">
        {from !== undefined && to !== undefined && (from === to ? t('graph.sameEnds') : <Said found={found} />)}
      </span>
    </fieldset>
  );
}

function Said({ found: { data, error } }: Pick<PathFinderProps, 'found'>) {
  const { t, number } = useTexts();
  if (error) return null;
  if (!data) return t('state.waiting');
  const { paths, truncated } = data;
  if (paths.length === 0) return t('graph.noPath', { most: longestPath });
  return t(truncated ? 'graph.pathsAtLeast' : 'graph.pathCount', {
    count: paths.length,
    number: number(paths.length),
    length: paths[0]?.length ?? 0,
  });
}

function End({
  label,
  id,
  onChange,
}: {
  label: string;
  id: string | undefined;
  onChange(id: string | undefined): void;
}) {
  const { t } = useTexts();
  if (id === undefined)
    return (
      <div className="w-56">
        <PeerPicker label={label} placeholder={label} collection={undefined} onChoose={(peer) => onChange(peer.id)} />
      </div>
    );
  return (
    <Button className="max-w-56" onClick={() => onChange(undefined)} title={t('graph.forget', { label })}>
      <span className="sr-only">{t('graph.forget', { label })}:</span>
      <span className="min-w-0 truncate">
        <PeerName id={id} />
      </span>
      <X size={13} className="shrink-0" aria-hidden />
    </Button>
  );
}
