import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { Play } from 'lucide-react';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { Failure } from '../../api/failure.ts';
import { useCommands } from '../../commands/commands.ts';
import { Button, buttonClasses } from '../../components/button.tsx';
import { Field, Select } from '../../components/field.tsx';
import { useInstead } from '../../components/loss-dialog.tsx';
import { PageHead } from '../../components/page-head.tsx';
import { Problem } from '../../components/problem.tsx';
import { toast } from '../../components/toasts.tsx';
import { useOnce } from '../../components/use-once.ts';
import { useTexts } from '../../messages/texts.tsx';
import { useUnsaved } from '../../session/unsaved.ts';
import { entityQuery } from '../entity/entity-queries.ts';
import { isMap, type Json, same } from '../entity/model/json.ts';
import { CollectionSelect } from '../processors/collection-select.tsx';
import { faultsOf } from '../processors/faults.ts';
import { formOf } from '../processors/form-values.ts';
import { StatusMark } from '../processors/processor-state.tsx';
import { kinds, type Status } from '../processors/processors-address.ts';
import { InputForm } from './input-form.tsx';
import { type Order, previewOf, start } from './invoke.ts';
import { inputOf } from './model/schema-form.ts';
import { PreviewPanel } from './preview-panel.tsx';
import type { ProcessAddress } from './process-address.ts';
import { ProcessorPicker } from './processor-picker.tsx';
import { Targets } from './targets.tsx';

const route = getRouteApi('/process');
const durations = [900, 3600, 21_600, 86_400] as const;
const active: Status = 'active';

/** Chooses a processor, what it works on and what is given along, shows which permissions it would get, and starts it. */
export function Process() {
  const { t, duration } = useTexts();
  const address = route.useSearch();
  const go = useNavigate({ from: '/process' });
  const queries = useQueryClient();
  const { processor: id } = address;
  const [targets, setTargets] = useState(address.targets ?? []);
  const [text, setText] = useState('');
  const [fault, setFault] = useState(false);
  const [seconds, setSeconds] = useState<number>(3600);
  const found = useQuery({ ...entityQuery(id ?? ''), enabled: id !== undefined });
  const chosen = id === undefined ? undefined : found.data;
  const kind = kinds.find((one) => one === chosen?.type);
  const properties = (chosen?.properties ?? {}) as { [name: string]: Json };
  const { accepts, label } = formOf(properties);
  const schema = properties.input_schema;

  // The collection is that of what is worked on, unless another one is chosen.
  const [first] = targets;
  const target = useQuery({ ...entityQuery(first ?? ''), enabled: first !== undefined && !address.collection });
  const home = target.data?.relationships.find(({ predicate }) => predicate === 'collection')?.peer;
  const collection = address.collection ?? home;

  // What was typed stays where another collection or processor is chosen for it.
  const change = (next: ProcessAddress) =>
    void go({ search: (old) => ({ ...old, ...next }), replace: true, ignoreBlocker: true });
  const input = inputOf(text);
  const order: Order | null =
    kind && id && collection && input && !fault && (kind === 'agent' || targets.length > 0)
      ? { kind, processor: id, single: accepts.cardinality === 'one', targets, collection, input, seconds }
      : null;
  useUnsaved(fault || text.trim() !== '' || !same(targets, address.targets ?? []));
  // What is no value yet stands in a field of this processor alone.
  const { instead, question } = useInstead(fault ? 'typed' : null);
  const preview = useMutation({ mutationFn: previewOf });
  const begin = useMutation({
    mutationFn: start,
    onSuccess: (outcome, started) => {
      void queries.invalidateQueries({ queryKey: ['runs'] });
      const isShown = shown.current === JSON.stringify(started);
      if ('rejected' in outcome) {
        if (!isShown) toast(t('job.refused', { why: outcome.rejected }));
        return;
      }
      const look = (ignoreBlocker: boolean) =>
        void go({ to: '/jobs/$id', params: { id: outcome.started }, search: {}, ignoreBlocker });
      // Whoever has gone elsewhere, or typed on, is not taken away from that.
      if (isShown) look(true);
      else toast(t('process.started'), { label: t('process.toJob'), run: () => look(false) });
    },
  });
  // What was looked at is no longer what would be started.
  const asked = JSON.stringify(order);
  /** The order that is looked at; null once nobody does. */
  const shown = useRef<string | null>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a preview is of one order
  useEffect(() => {
    shown.current = asked;
    preview.reset();
    begin.reset();
    return () => {
      shown.current = null;
    };
  }, [asked]);
  const once = useOnce();
  const next = () => {
    if (!order) return;
    if (preview.data?.allowed) once(() => begin.mutateAsync(order), asked);
    else if (!preview.isPending) preview.mutate(order);
  };
  useCommands([{ id: 'go-on', label: t('process.preview'), group: t('group.page'), keys: ['Mod+Enter'], run: next }]);
  const refused = begin.data && 'rejected' in begin.data ? begin.data : null;
  const faults = faultsOf(preview.error ?? begin.error);
  return (
    <>
      <PageHead
        above={
          <Link to="/jobs" className="hover:underline">
            {t('jobs.title')}
          </Link>
        }
        title={t('process.title')}
        about={t('process.about')}
      />
      <form
        className="grid grid-cols-1 items-start gap-x-10 gap-y-6 p-5 lg:grid-cols-[minmax(0,1fr)_minmax(0,26rem)]"
        onSubmit={(event) => {
          event.preventDefault();
          next();
        }}
      >
        <ol className="max-w-2xl space-y-6">
          <Part number={1} title={t('process.with')}>
            {chosen && kind ? (
              <div className="flex flex-wrap items-center gap-3 rounded-md border border-line bg-surface px-3 py-2">
                <Link
                  to="/processors/$id"
                  params={{ id: chosen.id }}
                  className="min-w-0 truncate font-medium hover:underline"
                >
                  <bdi>{label || chosen.id}</bdi>
                </Link>
                <span className="text-xs text-quiet">{t(`processor.${kind}`)}</span>
                <StatusMark status={typeof properties.status === 'string' ? properties.status : null} />
                <Button small className="ml-auto" onClick={() => instead(() => change({ processor: undefined }))}>
                  {t('process.another')}
                </Button>
              </div>
            ) : (
              <ProcessorPicker
                label={t('process.processor')}
                status={active}
                onChoose={(one) => change({ processor: one.id })}
              />
            )}
            {found.error && <Problem error={found.error} retry={() => void found.refetch()} />}
          </Part>
          <Part number={2} title={t(kind === 'agent' ? 'process.where' : 'process.what')}>
            {kind !== 'agent' && (
              <Targets
                targets={targets}
                onChange={setTargets}
                collection={collection}
                types={kind === 'klados' ? accepts.types : []}
              />
            )}
            <CollectionSelect
              label={t('process.collection')}
              hint={t('process.collectionAbout')}
              value={collection}
              onChange={(next) => change({ collection: next })}
            />
            {kind === 'klados' && accepts.cardinality === 'one' && targets.length > 1 && (
              <p className="text-xs text-quiet">{t('process.oneEach')}</p>
            )}
          </Part>
          <Part number={3} title={t('process.input')}>
            <InputForm
              key={id ?? ''}
              schema={isMap(schema) ? schema : undefined}
              text={text}
              onText={setText}
              onFault={setFault}
              faults={new Map([...faults].filter(([name]) => name === 'input'))}
            />
            <Field label={t('process.howLong')} hint={t('process.howLongAbout')}>
              {(ids) => (
                <Select
                  {...ids}
                  className="w-56"
                  value={String(seconds)}
                  onChange={({ target: { value } }) => setSeconds(Number(value))}
                >
                  {durations.map((each) => (
                    <option key={each} value={each}>
                      {t(`process.seconds.${each}`)}
                    </option>
                  ))}
                </Select>
              )}
            </Field>
          </Part>
        </ol>
        <div className="space-y-4 lg:sticky lg:top-5">
          {preview.data && collection && <PreviewPanel preview={preview.data} collection={collection} />}
          {preview.error && <Problem error={preview.error} />}
          {begin.error && (
            <Problem error={begin.error}>
              {begin.error instanceof Failure && begin.error.kind === 'unreachable' && (
                <>
                  <p className="w-full">{t('process.unclear')}</p>
                  <Link to="/jobs" className={buttonClasses()}>
                    {t('jobs.title')}
                  </Link>
                </>
              )}
            </Problem>
          )}
          {refused && (
            <div role="alert" className="rounded-md bg-danger-soft px-3 py-2">
              <p className="font-medium">{t('process.rejected')}</p>
              <p className="break-words text-quiet">
                <bdi>{refused.rejected}</bdi>
              </p>
              {refused.retryAfter !== null && <p>{t('process.retryAfter', { time: duration(refused.retryAfter) })}</p>}
            </div>
          )}
          <div className="flex items-center gap-3">
            {preview.data?.allowed ? (
              <Button look="main" type="submit" disabled={begin.isPending}>
                <Play size={15} aria-hidden />
                {begin.isPending ? t('state.waiting') : t('process.start')}
              </Button>
            ) : (
              <Button look="main" type="submit" disabled={order === null || preview.isPending}>
                {preview.isPending ? t('state.waiting') : t('process.look')}
              </Button>
            )}
            {order === null && (
              <p className="text-xs text-quiet">
                {t(fault || input === null ? 'process.faulty' : 'process.incomplete')}
              </p>
            )}
          </div>
        </div>
      </form>
      {question}
    </>
  );
}

function Part({ number, title, children }: { number: number; title: string; children: ReactNode }) {
  return (
    <li className="flex gap-4">
      <span
        aria-hidden
        className="flex size-7 shrink-0 items-center justify-center rounded-full bg-accent-soft font-semibold"
      >
        {number}
      </span>
      <div className="min-w-0 flex-1 space-y-3">
        <h2 className="pt-0.5 text-base font-semibold">{title}</h2>
        {children}
      </div>
    </li>
  );
}
