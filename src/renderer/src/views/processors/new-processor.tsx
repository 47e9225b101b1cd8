import { useMutation, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { answered, api } from '../../api/client.ts';
import { Button, buttonClasses } from '../../components/button.tsx';
import { PageHead } from '../../components/page-head.tsx';
import { Problem } from '../../components/problem.tsx';
import { toast } from '../../components/toasts.tsx';
import { useMadeOnce } from '../../components/use-made-once.ts';
import { useTexts } from '../../messages/texts.tsx';
import { useUnsaved } from '../../session/unsaved.ts';
import { same } from '../entity/model/json.ts';
import { NewRhiza } from '../flow/new-rhiza.tsx';
import { CollectionSelect } from './collection-select.tsx';
import { faultsOf } from './faults.ts';
import { bodyOf, emptyForm } from './form-values.ts';
import { ProcessorForm } from './processor-form.tsx';
import type { Kind } from './processors-address.ts';
import { useCollectionOfNew } from './use-collection-of-new.ts';

const route = getRouteApi('/processors/new');

/** Registers an agent, a klados or a rhiza, as the address says. */
export function NewProcessor() {
  const { kind = 'klados' } = route.useSearch();
  return kind === 'rhiza' ? <NewRhiza /> : <NewService key={kind} kind={kind} />;
}

export function NewHead({ kind }: { kind: Kind }) {
  const { t } = useTexts();
  return (
    <PageHead
      above={
        <Link to="/processors" className="hover:underline">
          {t('processors.title')}
        </Link>
      }
      title={t(`processor.new.${kind}`)}
      about={t(`processor.about.${kind}`)}
    />
  );
}

function NewService({ kind }: { kind: 'agent' | 'klados' }) {
  const { t } = useTexts();
  const go = useNavigate();
  const queries = useQueryClient();
  const [values, setValues] = useState(emptyForm);
  const { collection, choose, isPending } = useCollectionOfNew();
  const { idFor } = useMadeOnce();
  const body = bodyOf(values, kind);
  useUnsaved(!same(values as never, emptyForm as never));
  const create = useMutation({
    mutationFn: async () => {
      const wanted = { ...body, collection: collection ?? '' };
      const whole = { id: await idFor(wanted), ...wanted } as never;
      return kind === 'agent'
        ? answered(api.POST('/agents', { body: whole }))
        : answered(api.POST('/kladoi', { body: whole }));
    },
    onSuccess: () => {
      void queries.invalidateQueries({ queryKey: ['processors'] });
      toast(t('processor.registered'));
    },
  });
  const look = ({ id }: { id: string }) => void go({ to: '/processors/$id', params: { id }, ignoreBlocker: true });
  return (
    <>
      <NewHead kind={kind} />
      <form
        className="w-full max-w-3xl space-y-4 p-5"
        onSubmit={(event) => {
          event.preventDefault();
          if (body) create.mutate(undefined, { onSuccess: look });
        }}
      >
        <CollectionSelect
          label={t('processor.collection')}
          hint={t('processor.collectionAbout')}
          value={collection}
          onChange={choose}
        />
        <ProcessorForm kind={kind} values={values} onChange={setValues} faults={faultsOf(create.error)} />
        {body === null && <p className="text-xs text-danger">{t('processor.schemaFault')}</p>}
        {create.error && <Problem error={create.error} />}
        <div className="flex gap-2">
          <Button look="main" type="submit" disabled={create.isPending || isPending || body === null}>
            {t('processor.register')}
          </Button>
          <Link to="/processors" className={buttonClasses()}>
            {t('action.cancel')}
          </Link>
        </div>
      </form>
    </>
  );
}
