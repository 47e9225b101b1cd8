import '@xyflow/react/dist/base.css';
import {
  applyNodeChanges,
  Background,
  type Edge,
  type EdgeChange,
  MarkerType,
  type NodeChange,
  Panel,
  ReactFlow,
  ReactFlowProvider,
  useReactFlow,
  useStore,
} from '@xyflow/react';
import { Maximize, Minus, Plus, WandSparkles } from 'lucide-react';
import { useEffect, useMemo, useRef, useState } from 'react';
import { IconButton } from '../../components/button.tsx';
import { useTexts } from '../../messages/texts.tsx';
import { BackEdge } from './back-edge.tsx';
import type { Finding } from './model/findings.ts';
import { connected, disconnected, type FlowDraft, linksOf, stepsOf, withoutStep } from './model/flow-draft.ts';
import { layoutOf } from './model/layout.ts';
import { StepBox, type StepNode } from './step-node.tsx';

interface FlowCanvasProps {
  draft: FlowDraft;
  onChange(draft: FlowDraft): void;
  findings: readonly Finding[];
  chosen: string | null;
  onChoose(step: string | null): void;
  /** Whether nothing can be changed here: what is being typed as JSON would not have it. */
  locked: boolean;
}

const nodeTypes = { step: StepBox };
const edgeTypes = { back: BackEdge };
const chosenOnCanvas = '.react-flow__node.selected, .react-flow__edge.selected';
/** Of more steps only those in sight are drawn. */
const manySteps = 200;

/** The flow as boxes and lines, arranged by itself; lines are drawn from side to side. */
export function FlowCanvas(props: FlowCanvasProps) {
  return (
    <ReactFlowProvider>
      <Canvas {...props} />
    </ReactFlowProvider>
  );
}

function Canvas({ draft, onChange, findings, chosen, onChoose, locked }: FlowCanvasProps) {
  const { t } = useTexts();
  const view = useReactFlow();
  const size = useStore(({ width, height }) => `${width} ${height}`);
  const [nodes, setNodes] = useState<StepNode[]>([]);
  /** Whether somebody has moved steps, and what is in view. */
  const moved = useRef(false);
  const viewed = useRef(false);
  const links = useMemo(() => linksOf(draft), [draft]);
  const [way, setWay] = useState<{ id: string; beside: string | null } | null>(null);
  // The one that was chosen last: a step, here or in the list, or a way.
  const chosenWay = way?.beside === chosen ? links.find(({ id }) => id === way.id)?.id : undefined;
  const isWay = chosenWay !== undefined;
  const structure = JSON.stringify([Object.keys(draft.flow), links.map(({ id }) => id)]);

  const arrange = () => {
    moved.current = false;
    viewed.current = false;
    const places = layoutOf(draft);
    setNodes((old) => old.map((node) => ({ ...node, position: places.get(node.id) ?? node.position })));
    requestAnimationFrame(() => void view.fitView({ padding: 0.15, maxZoom: 1.1 }));
  };
  useEffect(() => {
    const places = layoutOf(draft);
    setNodes((old) => {
      const before = new Map(old.map((node) => [node.id, node]));
      return stepsOf(draft).map(({ name, klados, form }): StepNode => {
        const known = before.get(name);
        const place = places.get(name) ?? { x: 0, y: 0 };
        return {
          ...(known?.measured ? { measured: known.measured } : {}),
          id: name,
          type: 'step',
          position: moved.current && known ? known.position : place,
          selected: name === chosen && !isWay,
          ariaLabel: name,
          data: {
            name,
            klados,
            entry: name === draft.entry,
            ends: form === 'done',
            findings: findings.filter(({ step }) => step === name),
          },
        };
      });
    });
  }, [draft, findings, chosen, isWay]);
  const fitted = useRef('');
  // biome-ignore lint/correctness/useExhaustiveDependencies: what is new comes into view, and all of it where there is another room for it
  useEffect(() => {
    // Who has looked for a place in it keeps that place in a window of another size.
    if (fitted.current === structure && (viewed.current || moved.current)) return;
    fitted.current = structure;
    const frame = requestAnimationFrame(() => void view.fitView({ padding: 0.15, maxZoom: 1.1 }));
    return () => cancelAnimationFrame(frame);
  }, [structure, size]);

  const zoom = (way: 'zoomIn' | 'zoomOut') => {
    viewed.current = true;
    void view[way]();
  };
  const at = new Map(nodes.map((node) => [node.id, node.position.x]));
  const colourOf = (id: string) => (id === chosenWay ? 'var(--color-accent)' : 'var(--color-edge)');
  const edges = links.map(
    ({ id, source, target, form, route, when }): Edge => ({
      ...{ id, source, target, selected: id === chosenWay },
      ...((at.get(target) ?? 0) <= (at.get(source) ?? 0) ? { type: 'back' } : {}),
      label: when ?? (form === 'pass' ? '' : t(`flow.form.${form}`)),
      ariaLabel: t('flow.way', { from: source, to: target }),
      markerEnd: { type: MarkerType.ArrowClosed, color: colourOf(id), width: 18, height: 18 },
      style: {
        stroke: colourOf(id),
        strokeWidth: form === 'scatter' || form === 'gather' ? 2.5 : 1.5,
        ...(form === 'recurse' || route !== null ? { strokeDasharray: '6 4' } : {}),
      },
      labelStyle: { fill: 'var(--color-ink)', fontSize: 12 },
      labelBgStyle: { fill: 'var(--color-paper)' },
      labelBgPadding: [6, 3],
      labelBgBorderRadius: 4,
    }),
  );
  const choose = (step: string) => {
    setWay(null);
    onChoose(step);
  };
  const onEdgesChange = (changes: EdgeChange[]) => {
    for (const change of changes)
      if (change.type === 'select' && change.selected) setWay({ id: change.id, beside: chosen });
  };
  const onNodesChange = (changes: NodeChange<StepNode>[]) => {
    if (changes.some((change) => change.type === 'position' && change.dragging)) moved.current = true;
    for (const change of changes) if (change.type === 'select' && change.selected) choose(change.id);
    // What is taken away is taken from the draft, and so from here.
    setNodes((old) =>
      applyNodeChanges(
        changes.filter(({ type }) => type !== 'remove' && type !== 'select'),
        old,
      ),
    );
  };
  return (
    <ReactFlow
      aria-label={t('flow.canvas')}
      nodes={nodes}
      edges={edges}
      nodeTypes={nodeTypes}
      edgeTypes={edgeTypes}
      onNodesChange={onNodesChange}
      onEdgesChange={onEdgesChange}
      // Without an event it was fitted, not moved.
      onMoveEnd={(event) => {
        if (event) viewed.current = true;
      }}
      onNodeClick={(_, { id }) => choose(id)}
      onConnect={({ source, target }) => onChange(connected(draft, source, target))}
      onNodesDelete={(gone) => onChange(gone.reduce((now, { id }) => withoutStep(now, id), draft))}
      onEdgesDelete={(gone) => {
        setWay(null);
        const all = gone.flatMap(({ id }) => links.find((link) => link.id === id) ?? []);
        onChange(all.reduce((now, link) => disconnected(now, link), draft));
      }}
      fitView
      fitViewOptions={{ padding: 0.15, maxZoom: 1.1 }}
      onlyRenderVisibleElements={nodes.length > manySteps}
      minZoom={0.05}
      maxZoom={2}
      deleteKeyCode={locked ? null : ['Delete', 'Backspace']}
      // It listens to the whole document, where the keys may be meant for something else.
      onBeforeDelete={async () => document.activeElement?.closest(chosenOnCanvas) != null}
      nodesConnectable={!locked}
      proOptions={{ hideAttribution: true }}
      ariaLabelConfig={{
        'node.a11yDescription.default': t('flow.nodeKeys'),
        'node.a11yDescription.keyboardDisabled': t('flow.nodeKeys'),
        'edge.a11yDescription.default': t('flow.edgeKeys'),
        'handle.ariaLabel': t('flow.handle'),
      }}
    >
      <Background gap={22} color="var(--color-line)" />
      <Panel position="bottom-left" className="flex rounded-md border border-line bg-surface">
        <IconButton label={t('flow.arrange')} onClick={arrange}>
          <WandSparkles size={15} aria-hidden />
        </IconButton>
        <IconButton
          label={t('flow.fit')}
          onClick={() => {
            viewed.current = false;
            void view.fitView({ padding: 0.15 });
          }}
        >
          <Maximize size={15} aria-hidden />
        </IconButton>
        <IconButton label={t('flow.zoomIn')} onClick={() => zoom('zoomIn')}>
          <Plus size={15} aria-hidden />
        </IconButton>
        <IconButton label={t('flow.zoomOut')} onClick={() => zoom('zoomOut')}>
          <Minus size={15} aria-hidden />
        </IconButton>
      </Panel>
    </ReactFlow>
  );
}
