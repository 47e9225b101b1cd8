import { useMutation, useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate, useRouterState } from '@tanstack/react-router';
import { CircleCheck, Download } from 'lucide-react';
import { useEffect, useId, useRef, useState } from 'react';
import { answered, api } from '../../api/client.ts';
import { Failure } from '../../api/failure.ts';
import type { components } from '../../api/schema.d.ts';
import { useCommands } from '../../commands/commands.ts';
import { Button } from '../../components/button.tsx';
import { classes } from '../../components/classes.ts';
import { Field } from '../../components/field.tsx';
import { KeyCaps } from '../../components/key-caps.tsx';
import { NodeSaid } from '../../components/node-said.tsx';
import { PageHead } from '../../components/page-head.tsx';
import { Problem } from '../../components/problem.tsx';
import { Progress } from '../../components/progress.tsx';
import { useTexts } from '../../messages/texts.tsx';
import { CollectionProblem, isGone } from '../collection/collection-problem.tsx';
import { CollectionChoice } from '../collections/collection-choice.tsx';
import { entityQuery } from '../entity/entity-queries.ts';
import { type Format, formats, type Selected } from './formats.ts';

type Prepared = components['schemas']['PreparedExportView'];

const route = getRouteApi('/export');
const pollMs = 400;

/** A collection, or what was selected of it, as a file: in a form for whom it is for. */
export function Export() {
  const { t, number } = useTexts();
  const { collection = '', format = 'car', history = 'all' } = route.useSearch();
  const go = useNavigate({ from: '/export' });
  const { selected, filtered } = useRouterState({ select: ({ location }) => location.state as Selected });
  const wanted = useQuery({ ...entityQuery(collection), enabled: collection !== '' });
  const group = useId();
  const [prepared, setPrepared] = useState<Prepared | null>(null);
  const [error, setError] = useState<unknown>(null);
  const [busy, setBusy] = useState(false);
  const download = useRef<HTMLAnchorElement>(null);
  const change = (next: { collection?: string; format?: Format; history?: 'all' | 'tip' }) => {
    setPrepared(null);
    setError(null);
    void go({ search: (old) => ({ ...old, ...next }), replace: true, state: (old) => old });
  };
  const state = useQuery({
    queryKey: ['export', prepared?.id],
    queryFn: () => answered(api.GET('/node/exports/{id}', { params: { path: { id: prepared?.id ?? '' } } })),
    enabled: prepared !== null,
    refetchInterval: ({ state: { data } }) => (data?.state === 'done' || data?.state === 'stopped' ? false : pollMs),
    staleTime: 0,
  });
  // A node that was started anew knows nothing of it.
  const lost = state.error instanceof Failure && state.error.kind === 'missing' ? state.error : null;
  const now = lost ? null : (state.data ?? prepared);

  const start = async () => {
    if (busy || now?.state === 'running') return;
    setBusy(true);
    setError(null);
    setPrepared(null);
    try {
      const body = {
        format,
        history,
        ...(collection !== '' && { collection }),
        ...(selected && { entities: selected }),
      };
      setPrepared(await answered(api.POST('/node/exports', { body })));
    } catch (failed) {
      setError(failed);
    } finally {
      setBusy(false);
    }
  };
  // The browser saves it, as it saves every file; the page only asks how far that is.
  useEffect(() => {
    if (prepared) download.current?.click();
  }, [prepared]);
  useCommands([
    {
      id: 'start-export',
      label: t('export.start'),
      group: t('group.import'),
      keys: ['Mod+Enter'],
      run: () => void start(),
    },
  ]);
  const own = wanted.data?.properties.label;
  const label = typeof own === 'string' && own !== '' ? own : collection;
  if (isGone(wanted.error) && !prepared)
    return (
      <>
        <PageHead title={t('export.title')} />
        <div className="p-5">
          <CollectionProblem error={wanted.error} retry={wanted.refetch} />
        </div>
      </>
    );
  return (
    <>
      <PageHead
        title={t('export.title')}
        above={
          collection !== '' && (
            <Link to="/collections/$id" params={{ id: collection }}>
              <bdi>{label}</bdi>
            </Link>
          )
        }
        about={selected && t('export.selected', { count: selected.length, number: number(selected.length) })}
      />
      <form
        className="max-w-4xl space-y-6 p-5"
        onSubmit={(event) => {
          event.preventDefault();
          void start();
        }}
      >
        {!selected && (
          <div className="max-w-sm">
            <Field label={t('export.what')}>
              {(ids) => (
                <CollectionChoice
                  ids={ids}
                  label={t('export.what')}
                  value={collection}
                  called={label}
                  none={t('export.everything')}
                  onChange={(id) => change({ collection: id })}
                />
              )}
            </Field>
            {filtered === collection && (
              <p role="note" className="mt-2 rounded-md bg-warning-soft px-3 py-2">
                {t('export.unfiltered')}
              </p>
            )}
          </div>
        )}
        <fieldset>
          <legend className="mb-2 text-base font-semibold">{t('export.format')}</legend>
          <div className="grid grid-cols-1 gap-3 sm:grid-cols-2">
            {formats.map((one) => (
              <label
                key={one}
                className={classes(
                  'flex cursor-pointer items-start gap-3 rounded-lg border p-3',
                  one === format ? 'border-accent bg-accent-soft' : 'border-line bg-surface hover:bg-sunken',
                )}
              >
                <input
                  type="radio"
                  name={group}
                  checked={one === format}
                  onChange={() => change({ format: one })}
                  className="mt-1"
                />
                <span>
                  <span className="block font-semibold">{t(`export.format.${one}`)}</span>
                  <span className="text-quiet">{t(`export.about.${one}`)}</span>
                </span>
              </label>
            ))}
          </div>
        </fieldset>
        {format === 'csv' ? (
          <p className="text-quiet">{t('export.csvHistory')}</p>
        ) : (
          <label className="flex items-start gap-2">
            <input
              type="checkbox"
              checked={history === 'all'}
              onChange={({ target }) => change({ history: target.checked ? 'all' : 'tip' })}
              className="mt-1"
            />
            <span>
              <span className="block font-medium">{t('export.history')}</span>
              <span className="text-quiet">{t('export.historyAbout')}</span>
            </span>
          </label>
        )}
        {error !== null && <Problem error={error} />}
        {lost && (
          <Problem error={lost}>
            <p className="w-full">{t('export.lost')}</p>
          </Problem>
        )}
        <Button look="main" type="submit" disabled={busy || now?.state === 'running'}>
          <Download size={15} aria-hidden />
          {t('export.start')}
          <KeyCaps keys="Mod+Enter" />
        </Button>
        {now && <Progressing prepared={now} onStop={() => setPrepared(null)} />}
        {prepared && (
          <a ref={download} href={prepared.url} download={prepared.name} hidden>
            {prepared.name}
          </a>
        )}
      </form>
    </>
  );
}

/** How far a download is. How large it will be nobody knows before it ends. */
function Progressing({ prepared, onStop }: { prepared: Prepared; onStop(): void }) {
  const { t, number, bytes } = useTexts();
  const { id, name, entities, state, bytes: gone, error } = prepared;
  const isDone = state === 'done';
  const stop = useMutation({
    mutationFn: () => answered(api.DELETE('/node/exports/{id}', { params: { path: { id } } })),
    onSuccess: onStop,
  });
  return (
    <section aria-label={t('export.progress')} className="space-y-2 rounded-lg border border-line bg-surface p-4">
      <p className="flex items-center gap-2 font-medium">
        {isDone && <CircleCheck size={17} className="shrink-0 text-good" aria-hidden />}
        <bdi className="min-w-0 truncate">{name}</bdi>
      </p>
      {!isDone && state !== 'stopped' && <Progress label={t('export.progress')} done={0} total={null} />}
      <p role="status" className="text-quiet">
        {t(`export.state.${state}`, { size: bytes(gone) })} ·{' '}
        {t('start.entities', { count: entities, number: number(entities) })}
      </p>
      {error !== undefined && (
        <p className="text-danger">
          <NodeSaid said={error} />
        </p>
      )}
      {(state === 'waiting' || state === 'running') && (
        <>
          {stop.error && <Problem error={stop.error} />}
          <Button onClick={() => stop.mutate()} disabled={stop.isPending}>
            {t('import.stop')}
          </Button>
        </>
      )}
    </section>
  );
}
