import { Button } from '../../components/button.tsx';
import { useTexts } from '../../messages/texts.tsx';
import type { Entity } from '../entity/entity-queries.ts';
import { RunsOf } from '../jobs/runs-of.tsx';
import { faultsOf } from './faults.ts';
import { changesOf, formOf } from './form-values.ts';
import { KeysPanel } from './keys-panel.tsx';
import { ProcessorForm } from './processor-form.tsx';
import { ProcessorHead, standingOf } from './processor-head.tsx';
import { isCommand } from './processor-state.tsx';
import { SaveProblem } from './save-problem.tsx';
import { useProcessorDraft } from './use-processor-draft.ts';
import { Verification } from './verification.tsx';

/** An agent or klados: its form, its endpoint's proof, its keys and its jobs. */
export function Service({ entity, kind }: { entity: Entity; kind: 'agent' | 'klados' }) {
  const { t } = useTexts();
  const {
    now: values,
    dirty,
    body,
    save,
    submit,
    saveOver,
    change,
    discard,
  } = useProcessorDraft({
    kind,
    entity,
    stored: formOf(entity.properties as never),
    bodyOf: (base, now) => changesOf(base, now, kind),
  });
  const standing = standingOf(entity, kind);
  const moved = body !== null && 'endpoint' in body && !isCommand(values.endpoint);
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
              onChange={(next) => change(() => next)}
              faults={faultsOf(save.error)}
            />
            {body === null && <p className="text-xs text-danger">{t('processor.schemaFault')}</p>}
            {moved && <p className="rounded-md bg-warning-soft px-3 py-2">{t('processor.moved')}</p>}
            {save.error && <SaveProblem error={save.error} onOver={saveOver} />}
            <div className="flex gap-2">
              <Button look="main" type="submit" disabled={!dirty || body === null || save.isPending}>
                {t('save.save')}
              </Button>
              {dirty && (
                <Button onClick={discard} disabled={save.isPending}>
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
