import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useCommands } from '../../commands/commands.ts';
import { Button } from '../../components/button.tsx';
import { toast } from '../../components/toasts.tsx';
import { useOnce } from '../../components/use-once.ts';
import { useTexts } from '../../messages/texts.tsx';
import { type Entity, entityQuery } from '../entity/entity-queries.ts';
import { same } from '../entity/model/json.ts';
import { RunsOf } from '../jobs/runs-of.tsx';
import { faultsOf } from './faults.ts';
import { changesOf, type FormValues, formOf } from './form-values.ts';
import { KeysPanel } from './keys-panel.tsx';
import { ProcessorForm } from './processor-form.tsx';
import { ProcessorHead, standingOf } from './processor-head.tsx';
import { changeProcessor } from './processor-queries.ts';
import { isCommand } from './processor-state.tsx';
import { SaveProblem } from './save-problem.tsx';
import { Verification } from './verification.tsx';

/** An agent or klados: its form, its endpoint's proof, its keys and its jobs. */
export function Service({ entity, kind }: { entity: Entity; kind: 'agent' | 'klados' }) {
  const { t } = useTexts();
  const queries = useQueryClient();
  const stored = formOf(entity.properties as never);
  const [typed, setTyped] = useState<{ base: FormValues; now: FormValues } | null>(null);
  const values = typed?.now ?? stored;
  const changes = typed && changesOf(typed.base, typed.now, kind);
  const dirty = typed !== null && !same(typed.base as never, typed.now as never);
  const standing = standingOf(entity, kind);
  const save = useMutation({
    mutationFn: ({ changed, removed }: NonNullable<typeof changes>) =>
      changeProcessor(kind, entity.id, {
        ...changed,
        expect_tip: entity.cid,
        ...(removed.length > 0 ? { properties_remove: removed } : {}),
      }),
    onSuccess: ({ ver }) => {
      setTyped(null);
      toast(t('save.saved', { ver }));
      void queries.invalidateQueries({ queryKey: ['processors'] });
    },
    onSettled: () => queries.invalidateQueries({ queryKey: entityQuery(entity.id).queryKey }),
  });
  const once = useOnce();
  const submit = () => {
    if (dirty && changes) once(() => save.mutateAsync(changes));
  };
  useCommands([{ id: 'save', label: t('save.save'), group: t('group.entity'), keys: ['Mod+s'], run: submit }]);
  const moved = dirty && changes !== null && 'endpoint' in changes.changed && !isCommand(values.endpoint);
  return (
    <>
      <ProcessorHead entity={entity} kind={kind} />
      <div className="min-h-0 flex-1 overflow-auto">
        <div className="grid grid-cols-1 items-start gap-x-10 gap-y-8 p-5 lg:grid-cols-[minmax(0,1fr)_24rem]">
          <form
            className="space-y-4"
            onSubmit={(event) => {
              event.preventDefault();
              submit();
            }}
          >
            <ProcessorForm
              kind={kind}
              values={values}
              onChange={(now) => setTyped((old) => ({ base: old?.base ?? stored, now }))}
              faults={faultsOf(save.error)}
            />
            {changes === null && dirty && <p className="text-xs text-danger">{t('processor.noSchema')}</p>}
            {moved && <p className="rounded-md bg-warning-soft px-3 py-2">{t('processor.moved')}</p>}
            {save.error && <SaveProblem error={save.error} onAgain={submit} />}
            <div className="flex gap-2">
              <Button look="main" type="submit" disabled={!dirty || changes === null || save.isPending}>
                {t('save.save')}
              </Button>
              {dirty && (
                <Button
                  onClick={() => {
                    setTyped(null);
                    save.reset();
                  }}
                >
                  {t('save.discard')}
                </Button>
              )}
            </div>
          </form>
          <div className="space-y-8">
            {standing.endpoint !== null && !isCommand(standing.endpoint) && (
              <Verification
                id={entity.id}
                kind={kind}
                endpoint={standing.endpoint}
                verifiedAt={standing.endpoint_verified_at}
              />
            )}
            {!isCommand(standing.endpoint) && <KeysPanel id={entity.id} kind={kind} />}
            <RunsOf processor={entity.id} />
          </div>
        </div>
      </div>
    </>
  );
}
