import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { answered, api } from '../../api/client.ts';
import { Failure } from '../../api/failure.ts';
import { Button } from '../../components/button.tsx';
import { Problem } from '../../components/problem.tsx';
import { toast } from '../../components/toasts.tsx';
import { useMadeOnce } from '../../components/use-made-once.ts';
import { useTexts } from '../../messages/texts.tsx';
import { useUnsaved } from '../../session/unsaved.ts';
import { same } from '../entity/model/json.ts';
import { CollectionSelect } from '../processors/collection-select.tsx';
import { faultsOf } from '../processors/faults.ts';
import { NewHead } from '../processors/new-processor.tsx';
import { useCollectionOfNew } from '../processors/use-collection-of-new.ts';
import { useFindingWords } from './finding-words.ts';
import { FlowEditor } from './flow-editor.tsx';
import { findingsOf } from './model/findings.ts';
import type { FlowDraft } from './model/flow-draft.ts';
import { type Facts, RhizaFacts } from './rhiza-facts.tsx';

const emptyFacts: Facts = { label: '', version: '1.0.0', description: '' };
const emptyDraft: FlowDraft = { entry: '', flow: {} };

/** Makes a workflow: its name, its collection and its steps. */
export function NewRhiza() {
  const { t } = useTexts();
  const go = useNavigate();
  const queries = useQueryClient();
  const [facts, setFacts] = useState(emptyFacts);
  const [draft, setDraft] = useState(emptyDraft);
  const [faulty, setFaulty] = useState(false);
  useUnsaved(faulty || !same({ ...facts, ...draft } as never, { ...emptyFacts, ...emptyDraft } as never));
  const { collection, choose, isPending } = useCollectionOfNew();
  const { idFor } = useMadeOnce();
  const create = useMutation({
    mutationFn: async () => {
      const { label, version, description } = facts;
      const about = description.trim() ? { description: description.trim() } : {};
      const body = { label: label.trim(), version: version.trim(), ...about, collection: collection ?? '', ...draft };
      return answered(api.POST('/rhizai', { body: { id: await idFor(body), ...body } }));
    },
    onSuccess: () => {
      void queries.invalidateQueries({ queryKey: ['processors'] });
      toast(t('processor.registered'));
    },
  });
  const look = ({ id }: { id: string }) => void go({ to: '/processors/$id', params: { id }, ignoreBlocker: true });
  const inFlow = useFindingWords();
  const issues = create.error instanceof Failure ? create.error.issues : [];
  return (
    <div className="flex min-h-0 flex-1 flex-col">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (!faulty) create.mutate(undefined, { onSuccess: look });
        }}
      >
        <NewHead kind="rhiza" />
        <RhizaFacts facts={facts} onChange={setFacts} faults={faultsOf(create.error)}>
          <div className="flex flex-wrap items-end gap-2 sm:col-span-3 xl:col-span-1">
            <div className="w-44">
              <CollectionSelect label={t('processor.collection')} value={collection} onChange={choose} />
            </div>
            <Button look="main" type="submit" disabled={create.isPending || isPending || faulty}>
              {t('processor.register')}
            </Button>
          </div>
        </RhizaFacts>
      </form>
      {create.error && (
        <div className="px-5 py-2">
          <Problem error={create.error} words={inFlow} />
        </div>
      )}
      <FlowEditor draft={draft} onChange={setDraft} findings={findingsOf(issues)} onFault={setFaulty} />
    </div>
  );
}
