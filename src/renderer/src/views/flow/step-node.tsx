import { Handle, type Node, type NodeProps, Position } from '@xyflow/react';
import { Flag, TriangleAlert } from 'lucide-react';
import { classes } from '../../components/classes.ts';
import { useTexts } from '../../messages/texts.tsx';
import { PeerName } from '../entity/peer-name.tsx';
import { findingWords } from './finding-words.ts';
import type { Finding } from './model/findings.ts';
import { stepSize } from './model/layout.ts';

export type StepNode = Node<{
  name: string;
  klados: string | null;
  entry: boolean;
  ends: boolean;
  findings: Finding[];
}>;

/** A step on the canvas. Lines begin at its right side and end at its left. */
export function StepBox({ data, selected }: NodeProps<StepNode>) {
  const { t } = useTexts();
  const { name, klados, entry, ends, findings } = data;
  const wrong = findings.some(({ serious }) => serious);
  return (
    <div
      style={stepSize}
      className={classes(
        'flex flex-col justify-center gap-0.5 rounded-lg border bg-surface px-3 shadow-sm',
        wrong ? 'border-danger' : selected ? 'border-accent' : 'border-edge',
        selected && 'ring-2 ring-accent/40',
      )}
    >
      <Handle type="target" position={Position.Left} className="size-2.5! border-surface! bg-edge!" />
      <p className="flex items-center gap-1.5">
        {entry && <Flag size={13} className="shrink-0 text-accent" role="img" aria-label={t('flow.entry')} />}
        <bdi className="truncate font-semibold">{name}</bdi>
        {findings.length > 0 && (
          <TriangleAlert
            size={14}
            role="img"
            aria-label={findings.map((finding) => findingWords(t, finding)).join('; ')}
            className={classes('ml-auto shrink-0', wrong ? 'text-danger' : 'text-warning')}
          />
        )}
      </p>
      <p className="truncate text-xs text-quiet">{klados === null ? t('flow.noKlados') : <PeerName id={klados} />}</p>
      {ends && <p className="text-xs text-quiet">{t('flow.ends')}</p>}
      <Handle type="source" position={Position.Right} className="size-2.5! border-surface! bg-accent!" />
    </div>
  );
}
