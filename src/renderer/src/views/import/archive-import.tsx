import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { CircleCheck, Undo2 } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { endOf } from '../../api/answer-lines.ts';
import { api } from '../../api/client.ts';
import { Failure, sentenceOf } from '../../api/failure.ts';
import type { components } from '../../api/schema.d.ts';
import { useCommands } from '../../commands/commands.ts';
import { Button, buttonClasses } from '../../components/button.tsx';
import { KeyCaps } from '../../components/key-caps.tsx';
import { Problem } from '../../components/problem.tsx';
import { Progress } from '../../components/progress.tsx';
import { toast } from '../../components/toasts.tsx';
import { useTexts } from '../../messages/texts.tsx';
import { letGo } from '../../session/dropped-files.ts';
import { useUnsaved } from '../../session/unsaved.ts';
import { focusContentIfFree } from '../../shell/arrival.ts';
import { refuseUnreadable } from '../entity/files/refuse-unsendable.ts';
import { Count } from './records/running.tsx';
import { UndoDialog } from './undo/undo-dialog.tsx';
import { madeQuery } from './undo/undo-import.ts';
import { useStartCommand } from './use-start-command.ts';

type Report = components['schemas']['CarImportView'];
type Step = components['schemas']['CarProgressView'];

interface ArchiveImportProps {
  file: File;
  /** Of the choice that it is. */
  serial: number;
  onMore(): void;
  /** It is to be kept as the file that it is. */
  onKeep(): void;
}

/** An archive, a bag or a crate: sent, verified whole, then taken in. */
export function ArchiveImport({ file, serial, onMore, onKeep }: ArchiveImportProps) {
  const { t, number, counted, bytes } = useTexts();
  const queries = useQueryClient();
  const [busy, setBusy] = useState(false);
  const [progress, setProgress] = useState<Step | null>(null);
  const [report, setReport] = useState<Report | null>(null);
  const [error, setError] = useState<unknown>(null);
  const stop = useRef<AbortController>(undefined);
  const isThere = useRef(true);
  const isTaken = useRef(false);
  const isVerifying = busy && !progress;
  // Many things are packed as ZIP.
  const isNone = error instanceof Failure && error.kind === 'invalid' && /\.zip$/i.test(file.name);
  useUnsaved(isVerifying, 'archive');
  useEffect(() => {
    isThere.current = true;
    return () => {
      isThere.current = false;
      // What has begun to be taken in is taken in whole, and stands among the imports.
      if (!isTaken.current) stop.current?.abort();
      else letGo(serial);
    };
  }, [serial]);
  // The button that had the focus goes with its step.
  // biome-ignore lint/correctness/useExhaustiveDependencies: when the step has become another one
  useEffect(focusContentIfFree, [busy, isVerifying]);
  const start = async () => {
    if (busy || report) return;
    stop.current = new AbortController();
    isTaken.current = false;
    setBusy(true);
    setError(null);
    try {
      await refuseUnreadable(file);
      const done = await endOf<Step, Report>(
        api.POST('/node/import-car', {
          params: { query: { name: file.name.slice(0, 255) } },
          body: file as never,
          bodySerializer: (body: unknown) => body as BodyInit,
          headers: { 'Content-Type': 'application/octet-stream' },
          parseAs: 'stream',
          signal: stop.current.signal,
        } as never),
        (step) => {
          isTaken.current = true;
          setProgress(step);
        },
      );
      isTaken.current = true;
      if (!isThere.current) {
        toast(t('import.archiveDone', { name: file.name }));
        letGo(serial);
      }
      setReport(done);
      void queries.invalidateQueries();
    } catch (failed) {
      setProgress(null);
      const told = isTaken.current ? failureOnceTaken(failed) : failed;
      if (isTaken.current || !stop.current.signal.aborted) setError(told);
      if (isTaken.current && !isThere.current) toast(`${file.name}: ${t(sentenceOf(told))}`);
    } finally {
      setBusy(false);
    }
  };
  useStartCommand(start);
  if (report)
    return (
      <div className="max-w-4xl space-y-4 p-5">
        <div role="status">
          <h2 className="flex items-center gap-2 text-base font-semibold">
            <CircleCheck size={18} className="text-good" aria-hidden />
            {t('import.archiveDone', { name: file.name })}
          </h2>
        </div>
        <dl className="grid grid-cols-2 gap-3 sm:grid-cols-3 lg:grid-cols-6">
          {(['entities', 'versions', 'created', 'advanced', 'unchanged', 'forks'] as const).map((name) => (
            <Count key={name} name={t(`import.archive.${name}`)} value={number(report[name])} />
          ))}
          {report.missing_files > 0 && (
            <Count name={t('import.archive.missing')} value={number(report.missing_files)} />
          )}
        </dl>
        {report.remarks.map((remark) => (
          <p key={remark} lang="en" className="rounded-md bg-warning-soft p-3">
            {remark}
          </p>
        ))}
        <div className="flex flex-wrap gap-2">
          <Link to="/collections" className={buttonClasses('main')}>
            {t('collections.title')}
          </Link>
          <Button onClick={onMore}>{t('import.more')}</Button>
          <UndoArchive run={report.run} />
        </div>
      </div>
    );
  return (
    <div className="max-w-2xl space-y-4 p-5">
      <h2 className="text-base font-semibold">
        <bdi>{file.name}</bdi> <span className="font-normal text-quiet">{bytes(file.size)}</span>
      </h2>
      <p>{t('import.archiveAbout')}</p>
      {error !== null && (
        <Problem error={error}>
          {error instanceof Failure && error.kind === 'goes-on' && (
            <Button onClick={onMore}>{t('import.earlier')}</Button>
          )}
        </Problem>
      )}
      {busy ? (
        <>
          <Progress label={t('import.running')} done={progress?.entities ?? 0} total={progress?.total ?? null} />
          <p role="status" className="text-quiet">
            {progress
              ? t('import.archiveProgress', {
                  done: progress.entities,
                  entities: counted('count.entities', progress.total),
                })
              : t('import.archiveVerifying')}
          </p>
          {isVerifying && <Button onClick={() => stop.current?.abort()}>{t('import.stop')}</Button>}
        </>
      ) : (
        <div className="flex gap-2">
          <Button look="main" onClick={() => void start()}>
            {t('import.start')}
            <KeyCaps keys="Mod+Enter" />
          </Button>
          {isNone && <Button onClick={onKeep}>{t('import.keepAsFile')}</Button>}
          <Button onClick={onMore}>{t('action.cancel')}</Button>
        </div>
      )}
    </div>
  );
}

/** Takes back what the archive brought into being. */
function UndoArchive({ run }: { run: string }) {
  const { t } = useTexts();
  const made = useQuery(madeQuery(run)).data;
  const [undoing, setUndoing] = useState(false);
  const open = () => setUndoing(true);
  useCommands([{ id: 'undo-import', label: t('undo.open'), group: t('group.import'), keys: ['u'], run: open }]);
  if (!made) return null;
  return (
    <>
      <Button onClick={open} disabled={made.untouched === 0}>
        <Undo2 size={15} aria-hidden />
        {t('undo.open')}
        <KeyCaps keys="u" />
      </Button>
      <UndoDialog made={made} open={undoing} onClose={() => setUndoing(false)} />
    </>
  );
}

/** Where the node says why it could not go on, that is what is told. */
function failureOnceTaken(failed: unknown): unknown {
  const isSaid = failed instanceof Failure && failed.kind !== 'unreachable';
  return isSaid ? failed : new Failure('goes-on', failed instanceof Error ? failed.message : String(failed));
}
