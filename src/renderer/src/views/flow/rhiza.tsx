import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { Failure } from '../../api/failure.ts';
import { useCommands } from '../../commands/commands.ts';
import { Button } from '../../components/button.tsx';
import { toast } from '../../components/toasts.tsx';
import { useOnce } from '../../components/use-once.ts';
import { useTexts } from '../../messages/texts.tsx';
import { type Entity, entityQuery } from '../entity/entity-queries.ts';
import type { Json } from '../entity/model/json.ts';
import { same } from '../entity/model/json.ts';
import { faultsOf } from '../processors/faults.ts';
import { ProcessorHead } from '../processors/processor-head.tsx';
import { changeProcessor } from '../processors/processor-queries.ts';
import { SaveProblem } from '../processors/save-problem.tsx';
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
  const queries = useQueryClient();
  // biome-ignore lint/correctness/useExhaustiveDependencies: a version says the same for ever
  const stored = useMemo(() => wholeOf(entity), [entity.cid]);
  const [typed, setTyped] = useState<{ base: Whole; now: Whole } | null>(null);
  const { facts, draft } = typed?.now ?? stored;
  const changed = typed === null ? {} : changesOf(typed.base, typed.now);
  const dirty = Object.keys(changed).length > 0;
  const save = useMutation({
    mutationFn: () => changeProcessor('rhiza', entity.id, { ...changed, expect_tip: entity.cid }),
    onSuccess: ({ ver }) => {
      setTyped(null);
      toast(t('save.saved', { ver }));
      void queries.invalidateQueries({ queryKey: ['processors'] });
    },
    onSettled: () => queries.invalidateQueries({ queryKey: entityQuery(entity.id).queryKey }),
  });
  const change = (next: Partial<Whole>) =>
    setTyped((old) => ({ base: old?.base ?? stored, now: { ...(old?.now ?? stored), ...next } }));
  const once = useOnce();
  const submit = () => {
    if (dirty) once(() => save.mutateAsync());
  };
  useCommands([{ id: 'save', label: t('save.save'), group: t('group.entity'), keys: ['Mod+s'], run: submit }]);
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
            <Button
              onClick={() => {
                setTyped(null);
                save.reset();
              }}
            >
              {t('save.discard')}
            </Button>
            <Button look="main" onClick={submit} disabled={save.isPending}>
              {t('save.save')}
            </Button>
          </>
        )}
      </ProcessorHead>
      <RhizaFacts facts={facts} onChange={(next) => change({ facts: next })} faults={faultsOf(save.error)} />
      {save.error && (
        <div className="px-5 py-2">
          <SaveProblem error={save.error} onAgain={submit} words={inFlow} />
        </div>
      )}
      <FlowEditor draft={draft} onChange={(next) => change({ draft: next })} findings={findings} />
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
