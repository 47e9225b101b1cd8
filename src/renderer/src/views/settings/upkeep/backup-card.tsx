import { BadgeCheck } from 'lucide-react';
import { type FormEvent, useState } from 'react';
import { Failure } from '../../../api/failure.ts';
import { Button } from '../../../components/button.tsx';
import { Field, Input } from '../../../components/field.tsx';
import { minuteOf } from '../../../components/local-day.ts';
import { Moment } from '../../../components/moment.tsx';
import { Problem } from '../../../components/problem.tsx';
import { quoted } from '../../../components/quoted.ts';
import { useTexts } from '../../../messages/texts.tsx';
import { Card } from '../section.tsx';
import { type Results, start, useRun } from './runs.ts';
import { TaskProgress } from './task-progress.tsx';

/** Copies the whole node into a folder of its machine. `data` is its data folder, whose form the path has. */
export function BackupCard({ data }: { data: string }) {
  const { t, counted, bytes, number } = useTexts();
  const run = useRun('backup');
  const [dir, setDir] = useState(() => besides(data));
  const busy = run?.state === 'running';
  const { missing, damaged } = lackingOf(run?.state === 'done' ? run.result.networks : []);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (dir.trim() && !busy) void start('backup', dir.trim());
  };
  return (
    <Card title={t('backup.title')} about={t('backup.about')}>
      <form onSubmit={submit} className="flex flex-wrap items-end gap-2">
        <div className="min-w-56 flex-1">
          <Field label={t('backup.folder')} hint={t('backup.folderAbout')}>
            {(ids) => (
              <Input
                {...ids}
                required
                maxLength={4096}
                spellCheck={false}
                value={dir}
                onChange={({ target }) => setDir(target.value)}
                className="w-full font-mono text-xs"
              />
            )}
          </Field>
        </div>
        <Button type="submit" disabled={busy || !dir.trim()} className="mb-5">
          {t('backup.start')}
        </Button>
      </form>
      {busy && <TaskProgress label={t('backup.title')} step={run.step} />}
      {run?.state === 'failed' &&
        (run.error instanceof Failure && run.error.kind === 'forbidden' ? (
          <p role="alert" className="rounded-md bg-warning-soft px-3 py-2">
            {t('backup.elsewhere')}
          </p>
        ) : (
          <Problem error={run.error} />
        ))}
      {run?.state === 'done' && (
        <div role="status" className="space-y-1">
          <p className="flex items-center gap-2 font-medium text-good">
            <BadgeCheck size={17} aria-hidden />
            {t('backup.done', { files: counted('count.files', run.result.files), bytes: bytes(run.result.bytes) })}
          </p>
          <p className="text-quiet">
            <code className="font-mono text-xs break-all">{run.result.dir}</code> · <Moment at={run.at} />
          </p>
          {damaged > 0 && (
            <p className="rounded-md bg-warning-soft px-3 py-2">
              {t('backup.damaged', { count: damaged, number: number(damaged) })}
            </p>
          )}
          {missing > 0 && <p>{t('backup.missing', { count: missing, number: number(missing) })}</p>}
          <p className="text-quiet">{t('backup.restore')}</p>
          <code className="block rounded bg-sunken px-2 py-1 font-mono text-xs break-all">
            archeion restore {quoted(run.result.dir)}
          </code>
        </div>
      )}
    </Card>
  );
}

/** How many files are not in a backup since they are not on the node, and how many are damaged there. */
function lackingOf(networks: Results['backup']['networks']): { missing: number; damaged: number } {
  return {
    missing: networks.reduce((sum, { missing_files = 0 }) => sum + missing_files, 0),
    damaged: networks.reduce((sum, { damaged_files = 0 }) => sum + damaged_files, 0),
  };
}

/** A folder beside the data folder, named after the day and the minute: it must not be there yet. */
function besides(data: string): string {
  return `${data.replace(/[\\/]+$/, '')}-backup-${minuteOf(new Date())}`;
}
