import { useMemo } from 'react';
import { Failure } from '../../api/failure.ts';
import { Button } from '../../components/button.tsx';
import { useTexts } from '../../messages/texts.tsx';
import type { Entity } from '../entity/entity-queries.ts';
import { type Json, same } from '../entity/model/json.ts';
import { faultsOf } from '../processors/faults.ts';
import { ProcessorHead } from '../processors/processor-head.tsx';
import { SaveProblem } from '../processors/save-problem.tsx';
import { useProcessorDraft } from '../processors/use-processor-draft.ts';
import { useFindingWords } from './finding-words.ts';
import { FlowEditor } from './flow-editor.tsx';
import { findingsOf, warningsOf } from './model/findings.ts';
import { draftOf, type FlowDraft } from './model/flow-draft.ts';
import { type Facts, RhizaFacts } from './rhiza-facts.tsx';

interface Whole {
  facts: Facts;
  draft: FlowDraft;
}

/** A workflow, edited: saved by hand, and refused or wondered about by the node at its steps. */
export function Rhiza({ entity }: { entity: Entity }) {
  const { t } = useTexts();
  // biome-ignore lint/correctness/useExhaustiveDependencies: a version says the same for ever
  const stored = useMemo(() => wholeOf(entity), [entity.cid]);
  const typed = useProcessorDraft({ kind: 'rhiza', entity, stored, bodyOf: changesOf });
  const { facts, draft } = typed.now;
  const { dirty, faulty, save, submit } = typed;
  const change = (next: Partial<Whole>) => typed.change((now) => ({ ...now, ...next }));
  const inFlow = useFindingWords();
  const findings = useMemo(() => {
    if (save.error instanceof Failure) return findingsOf(save.error.issues);
    const { data } = save;
    return data && 'warnings' in data ? warningsOf((data.warnings ?? []) as Parameters<typeof warningsOf>[0]) : [];
  }, [save.error, save.data, save]);
  return (
    <div className="flex min-h-0 flex-1 flex-col">
      <ProcessorHead entity={entity} kind="rhiza">
        {dirty && (
          <>
            {faulty && <span role="status">{t('save.fault')}</span>}
            <Button onClick={typed.discard} disabled={save.isPending}>
              {t('save.discard')}
            </Button>
            <Button look="main" onClick={submit} disabled={save.isPending || faulty}>
              {t('save.save')}
            </Button>
          </>
        )}
      </ProcessorHead>
      <RhizaFacts facts={facts} onChange={(next) => change({ facts: next })} faults={faultsOf(save.error)} />
      {save.error && (
        <div className="px-5 py-2">
          <SaveProblem error={save.error} onOver={typed.saveOver} words={inFlow} />
        </div>
      )}
      <FlowEditor
        draft={draft}
        onChange={(next) => change({ draft: next })}
        findings={findings}
        onFault={typed.onFault}
        round={typed.round}
      />
    </div>
  );
}

function wholeOf({ properties }: Entity): Whole {
  const text = (value: unknown) => (typeof value === 'string' ? value : '');
  const { label, version, description } = properties;
  return {
    facts: { label: text(label), version: text(version), description: text(description) },
    draft: draftOf(properties as Json) ?? { entry: '', flow: {} },
  };
}

/** What has become another: that alone is sent. An empty description is taken away. */
function changesOf(base: Whole, now: Whole): { [name: string]: unknown } {
  const before: { [name: string]: Json } = { ...base.facts, ...base.draft };
  const all: { [name: string]: Json } = { ...now.facts, ...now.draft };
  const changed = Object.entries(all).filter(([name, value]) => !same(value, before[name]));
  const gone = changed.some(([name, value]) => name === 'description' && value === '');
  return Object.fromEntries([
    ...changed.filter(([name]) => !(gone && name === 'description')),
    ...(gone ? [['properties_remove', ['description']]] : []),
  ]);
}
