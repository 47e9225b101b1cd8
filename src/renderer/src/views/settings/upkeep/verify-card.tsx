import { BadgeCheck, CircleAlert } from 'lucide-react';
import { Button } from '../../../components/button.tsx';
import { dayOf } from '../../../components/local-day.ts';
import { Moment } from '../../../components/moment.tsx';
import { Problem } from '../../../components/problem.tsx';
import { saveAs } from '../../../components/save-as.ts';
import { useTexts } from '../../../messages/texts.tsx';
import { Card } from '../section.tsx';
import { type Results, start, useRun } from './runs.ts';
import { TaskProgress } from './task-progress.tsx';

/** Checks everything that the network holds, and says what was found. */
export function VerifyCard() {
  const { t } = useTexts();
  const run = useRun('verify');
  const busy = run?.state === 'running';
  return (
    <Card
      title={t('verify.title')}
      about={t('verify.about')}
      actions={
        <Button onClick={() => void start('verify')} disabled={busy}>
          {t('verify.start')}
        </Button>
      }
    >
      {busy && <TaskProgress label={t('verify.title')} step={run.step} />}
      {run?.state === 'failed' && <Problem error={run.error} />}
      {run?.state === 'done' && <Report report={run.result} at={run.at} />}
    </Card>
  );
}

function Report({ report, at }: { report: Results['verify']; at: number }) {
  const { t, number, counted, bytes } = useTexts();
  const { ok, counts, problem_count, problems, remarks } = report;
  const Icon = ok ? BadgeCheck : CircleAlert;
  const save = () => {
    const text = `${JSON.stringify(report, null, 2)}\n`;
    saveAs(new Blob([text], { type: 'application/json' }), `verify-${dayOf(new Date(at))}.json`);
  };
  return (
    <div role="status" className="space-y-2">
      <p className={`flex items-center gap-2 font-medium ${ok ? 'text-good' : 'text-danger'}`}>
        <Icon size={17} aria-hidden />
        {ok ? t('verify.good') : t('verify.bad', { count: problem_count, number: number(problem_count) })}
      </p>
      <p className="text-quiet">
        {t('verify.counts', {
          versions: counted('count.versions', counts.versions),
          bytes: bytes(counts.bytes),
          entities: counted('count.entities', counts.entities),
          files: counted('count.files', counts.files),
          entries: counted('count.entries', counts.leaves),
        })}{' '}
        <Moment at={at} />
      </p>
      {problem_count > counts.damaged_files && <p>{t('verify.badHow')}</p>}
      {counts.damaged_files > 0 && <p>{t('verify.damagedHow')}</p>}
      {problems.length > 0 && (
        <ul className="max-h-60 list-disc space-y-1 overflow-auto pl-5" lang="en">
          {problems.map(({ kind, id, message }) => (
            <li key={`${kind} ${id} ${message}`} className="break-words">
              <bdi>{message}</bdi> {id && <code className="font-mono text-xs text-quiet">{id}</code>}
            </li>
          ))}
        </ul>
      )}
      {remarks.length > 0 && (
        <details>
          <summary className="text-accent">
            {t('verify.remarks', { count: remarks.length, number: number(remarks.length) })}
          </summary>
          <ul className="max-h-60 list-disc space-y-1 overflow-auto pt-1 pl-5 text-quiet" lang="en">
            {remarks.map((remark) => (
              <li key={remark} className="break-words">
                <bdi>{remark}</bdi>
              </li>
            ))}
          </ul>
        </details>
      )}
      <Button small onClick={save}>
        {t('verify.save')}
      </Button>
    </div>
  );
}
