import { Link } from '@tanstack/react-router';
import { sentenceOf } from '../../api/failure.ts';
import { AndMore } from '../../components/and-more.tsx';
import { Progress } from '../../components/progress.tsx';
import { Said } from '../../components/said.tsx';
import { useTexts } from '../../messages/texts.tsx';
import type { BulkProgress } from './go-through.ts';
import { WaitedFor } from './waited-for.tsx';

/** So many that were not changed are named. */
const named = 100;

interface BulkReportProps {
  progress: BulkProgress;
  total: number;
  busy: boolean;
  /** Whether a change is taken back. */
  undoing: boolean;
}

/** How far a change of many entities has come, what it did, and what it did not. */
export function BulkReport({ progress, total, busy, undoing }: BulkReportProps) {
  const { t, number } = useTexts();
  const { changed, failed, idle, left, waiting, halted } = progress;
  const done = changed.length + failed.length + idle;
  const counted = { count: changed.length, number: number(changed.length) };
  return (
    <div className="space-y-3">
      <Progress label={t('bulk.progress')} done={done} total={total} />
      {busy ? (
        <p>{t('bulk.ofAll', { done, total })}</p>
      ) : (
        <p role="status">{t(undoing ? 'bulk.undone' : 'bulk.done', counted)}</p>
      )}
      {busy && waiting !== null && <WaitedFor error={waiting} />}
      {!busy && halted !== null && (
        <p role="alert" className="rounded-md bg-danger-soft p-3">
          {t(sentenceOf(halted))}
        </p>
      )}
      {!busy && idle > 0 && <p>{t('bulk.idle', { count: idle, number: number(idle) })}</p>}
      {!busy && left.length > 0 && (
        <p className="text-quiet">{t(undoing ? 'bulk.leftChanged' : 'bulk.left', { count: left.length })}</p>
      )}
      {!busy && !undoing && changed.length > 0 && <p className="text-quiet">{t('bulk.undoAbout')}</p>}
      {failed.length > 0 && (
        <div role="alert" className="rounded-md bg-danger-soft p-3">
          <p className="font-medium">{t('bulk.failed', { count: failed.length, number: number(failed.length) })}</p>
          <ul className="mt-1 max-h-60 list-disc overflow-auto pl-5">
            {failed.slice(0, named).map(({ row, error }) => (
              <li key={row.id}>
                {/* Here it would take the place of what is told, and of the undo. */}
                <Link to="/entities/$id" params={{ id: row.id }} target="_blank" className="underline">
                  <bdi>{row.label ?? row.id}</bdi>
                </Link>
                : <Said error={error} />
              </li>
            ))}
          </ul>
          <AndMore total={failed.length} listed={named} />
        </div>
      )}
    </div>
  );
}
