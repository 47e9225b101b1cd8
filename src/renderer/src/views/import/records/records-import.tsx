import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query';
import { FileJson, Save } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { answered, api } from '../../../api/client.ts';
import { Button } from '../../../components/button.tsx';
import { KeyCaps } from '../../../components/key-caps.tsx';
import { Problem } from '../../../components/problem.tsx';
import { saveAs } from '../../../components/save-as.ts';
import { useSettled } from '../../../components/use-settled.ts';
import { Waiting } from '../../../components/waiting.tsx';
import { useTexts } from '../../../messages/texts.tsx';
import { useUnsaved } from '../../../session/unsaved.ts';
import { focusContentIfFree } from '../../../shell/arrival.ts';
import { type Target, TargetChoice, targetText, useNamesakes } from '../target.tsx';
import { useStartCommand } from '../use-start-command.ts';
import { EncodingChoice } from './encoding-choice.tsx';
import { FileChoice } from './file-choice.tsx';
import { type Column, carried, type MappingDraft, mappingOf, proposedDraft } from './mapping-draft.ts';
import { MappingEditor } from './mapping-editor.tsx';
import { mappingIn } from './mapping-in.ts';
import { PreviewPanel } from './preview-panel.tsx';
import { type Begun, type ImportProgress, runImport } from './run-import.ts';
import { Running } from './running.tsx';
import type { Sample } from './sample.ts';
import { useSamples } from './use-samples.ts';

interface RecordsImportProps {
  files: readonly File[];
  /** Of the choice that they are. */
  serial: number;
  /** Where it goes, where the address says so. */
  collection: string | undefined;
  onDone(id: string): void;
}

/** Files of records: mapped by hand, looked at, then imported. */
export function RecordsImport({ files, serial, collection, onDone }: RecordsImportProps) {
  const { t, number } = useTexts();
  const queries = useQueryClient();
  const [first] = files as [File];
  const samples = useSamples(files, serial);
  const { first: sample, shown, encodings } = samples;
  const facts = usePreview(sample.data, undefined, undefined);
  /** By hand: one for each number of columns that the first file has had, which another text encoding may make another one. */
  const [drafts, setDrafts] = useState<readonly MappingDraft[]>([]);
  /** A mapping from a file, instead of one by hand. */
  const [given, setGiven] = useState<{ name: string; mapping: Record<string, unknown> } | null>(null);
  const [givenError, setGivenError] = useState<unknown>(null);
  const [target, setTarget] = useState<Target>({
    collection: collection ?? '',
    label: first.name.replace(/\..*$/, ''),
  });
  const [work, setWork] = useState<{ id: string | null; progress: ImportProgress | null; error: unknown } | null>(null);
  const isRunning = work !== null && !work.error;
  useUnsaved(isRunning || drafts.length > 0, isRunning ? 'import' : 'typed');
  const stop = useRef<AbortController>(undefined);
  const isThere = useRef(true);
  const chooser = useRef<HTMLInputElement>(null);
  const whole = sample.data?.whole === true && files.length === 1;
  const columns = facts.data?.columns;
  const draft = columns ? fitting(drafts, columns) : drafts[0];
  const proposed =
    facts.data && !draft ? proposedDraft(first.name, facts.data.columns, facts.data.records, whole) : null;
  const current = draft ?? proposed;
  const isOfOthers = drafts.length > 0 && proposed !== null;
  const mapping = given?.mapping ?? (current && mappingOf(current));
  const settled = useSettled(mapping ? JSON.stringify(mapping) : '', 250);
  const preview = usePreview(shown.data, settled || undefined, target.collection || undefined);
  const isReadable = preview.data !== undefined && preview.data.records > 0 && preview.data.issues.length === 0;
  // The columns are those of the encoding that was chosen before, until they are known.
  const isOld = sample.isPlaceholderData || facts.isPlaceholderData;
  const isRead = !shown.error && encodings !== undefined && columns !== undefined && !isOld;
  // What lies in those would be overwritten: the ids of entities come of the collection's and of the records.
  const namesakes = useNamesakes(target);
  const isPlaced = targetText(target) !== '' && namesakes.ids.length === 0;
  const ready = mapping !== null && isPlaced && !namesakes.waits && !preview.error && isReadable && isRead;
  const isFetching =
    [sample, facts, shown, preview].some((one) => one.isFetching) || samples.isReading || namesakes.waits;
  const isUnderWay = isFetching || settled !== JSON.stringify(mapping);
  const coming = mapping !== null && isPlaced && isUnderWay && !shown.error && !facts.error;

  useEffect(() => {
    isThere.current = true;
    return () => {
      isThere.current = false;
      stop.current?.abort();
    };
  }, []);

  // The button that had the focus goes with its step.
  const step = isRunning ? 'running' : work ? 'broken' : 'mapping';
  // biome-ignore lint/correctness/useExhaustiveDependencies: when the step has become another one
  useEffect(focusContentIfFree, [step]);

  const start = async () => {
    if (!mapping || !ready || isRunning) return;
    stop.current = new AbortController();
    let begun: Begun | null = null as Begun | null;
    setWork({ id: null, progress: null, error: null });
    try {
      const ended = await runImport({
        target,
        mapping,
        files,
        encodings,
        signal: stop.current.signal,
        onStart: (now) => {
          begun = now;
          setWork((old) => old && { ...old, id: now.id });
        },
        onProgress: (progress) => setWork((old) => old && { ...old, progress }),
      });
      void queries.invalidateQueries();
      if (isThere.current) onDone(ended);
    } catch (error) {
      void queries.invalidateQueries();
      // Whoever has gone elsewhere is not taken back.
      if (!isThere.current) return;
      const stopped = stop.current.signal.aborted;
      if (stopped && begun) onDone(begun.id);
      else if (stopped) setWork(null);
      else {
        // What is missing comes into the same one.
        if (begun) setTarget({ ...target, collection: begun.collection });
        setWork((old) => old && { ...old, error });
      }
    }
  };
  const what = JSON.stringify([mapping, target]);
  const waits = useStartCommand(start, { ready, coming, what });

  if (work)
    return (
      <Running
        progress={work.progress}
        error={work.error}
        onStop={() => stop.current?.abort()}
        onBack={() => setWork(null)}
        onSummary={work.id === null ? undefined : () => onDone(work.id as string)}
      />
    );
  // What was read once stays, with all that was chosen for it, whatever fails afterwards.
  if (!sample.data || !current) {
    const failed = sample.error ? sample : facts.error ? facts : null;
    return failed ? (
      <div className="p-5">
        <Problem error={failed.error} retry={() => void failed.refetch()} />
      </div>
    ) : (
      <Waiting />
    );
  }
  const map = (next: MappingDraft) =>
    setDrafts([next, ...drafts.filter(({ names }) => names.length !== next.names.length)]);
  const takeMapping = async (file: File) => {
    try {
      setGiven({ name: file.name, mapping: await mappingIn(file, t) });
      setGivenError(null);
    } catch (error) {
      setGivenError(error);
    }
  };
  return (
    <form
      className="flex min-h-0 flex-1 flex-col"
      onSubmit={(event) => {
        event.preventDefault();
        void start();
      }}
    >
      <div className="grid grid-cols-1 min-h-0 flex-1 content-start lg:content-stretch lg:grid-cols-[minmax(0,1.15fr)_minmax(0,1fr)] lg:overflow-hidden">
        <section aria-labelledby="import-mapping" className="lg:overflow-auto lg:border-r lg:border-line">
          <div className="flex flex-wrap items-center gap-2 px-4 pt-4">
            <h2 id="import-mapping" className="flex-1 text-base font-semibold">
              {t('import.mapping')}
            </h2>
            <input
              ref={chooser}
              type="file"
              hidden
              accept=".json,application/json"
              aria-label={t('import.useMappingFile')}
              onChange={({ target }) => {
                const [file] = target.files ?? [];
                if (file) void takeMapping(file);
                target.value = '';
              }}
            />
            <Button small onClick={() => chooser.current?.click()}>
              <FileJson size={13} aria-hidden />
              {t('import.useMappingFile')}
            </Button>
            <Button
              small
              onClick={() =>
                mapping &&
                saveAs(
                  new Blob([JSON.stringify(mapping, null, 2)], { type: 'application/json' }),
                  `${first.name}.mapping.json`,
                )
              }
            >
              <Save size={13} aria-hidden />
              {t('import.saveMapping')}
            </Button>
          </div>
          {givenError !== null && (
            <div className="p-4">
              <Problem error={givenError} />
            </div>
          )}
          {given ? (
            <div className="space-y-3 p-4">
              <p>{t('import.mappingFrom', { name: given.name })}</p>
              <Button onClick={() => setGiven(null)}>{t('import.byHand')}</Button>
            </div>
          ) : (
            <>
              {isOfOthers && <p className="px-4 pt-3 text-warning">{t('import.otherColumns')}</p>}
              <MappingEditor columns={columns ?? []} draft={current} onChange={map} />
            </>
          )}
        </section>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keys */}
        <section aria-labelledby="import-preview" tabIndex={0} className="lg:overflow-auto">
          <PreviewPanel preview={preview.data} whole={shown.data?.whole === true} error={shown.error ?? preview.error}>
            <FileChoice files={files} samples={samples} />
            {shown.data && <EncodingChoice sample={shown.data} onChange={samples.choose} />}
          </PreviewPanel>
        </section>
      </div>
      <div className="sticky bottom-0 flex flex-wrap items-end justify-between gap-3 border-t border-line bg-surface px-4 py-3">
        <TargetChoice target={target} onChange={setTarget} namesakes={namesakes.ids} />
        {/* There before it says something, so that it is read out. */}
        <p role="status" className="text-quiet">
          {waits && t('import.startsWhenRead')}
        </p>
        <Button look="main" type="submit" disabled={!ready}>
          {whole && preview.data
            ? t('import.startCount', { count: preview.data.records, number: number(preview.data.records) })
            : t('import.startFiles', { count: files.length, number: number(files.length) })}
          <KeyCaps keys="Mod+Enter" />
        </Button>
      </div>
    </form>
  );
}

/** The mapping that was made for so many columns. */
function fitting(drafts: readonly MappingDraft[], columns: readonly Column[]): MappingDraft | undefined {
  for (const draft of drafts) {
    const now = carried(draft, columns);
    if (now) return now;
  }
  return undefined;
}

/** What the node would make of a sample; without a mapping, what its columns hold. */
function usePreview(sample: Sample | undefined, mapping: string | undefined, collection: string | undefined) {
  return useQuery({
    queryKey: [
      'import-preview',
      sample && { ...sample, text: [sample.text.slice(0, 200), sample.text.slice(-200), sample.text.length] },
      mapping,
      collection,
    ],
    queryFn: ({ signal }) =>
      answered(
        api.POST('/node/imports/preview', {
          body: {
            ...beginning(sample as Sample),
            ...(mapping !== undefined && { mapping: JSON.parse(mapping) }),
            ...(collection !== undefined && { collection }),
            limit: mapping === undefined ? 1 : 8,
          },
          signal,
        }),
      ),
    enabled: sample !== undefined,
    placeholderData: keepPreviousData,
    staleTime: 60_000,
    retry: false,
  });
}

/** What the node is told of a sample. */
function beginning({ name, text, whole }: Sample) {
  return { name, text, whole };
}
