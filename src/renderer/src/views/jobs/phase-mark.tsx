import { CircleAlert, CircleCheck, CircleDashed, CircleHelp, LoaderCircle } from 'lucide-react';
import { classes } from '../../components/classes.ts';
import { useTexts } from '../../messages/texts.tsx';
import type { Phase } from './job-queries.ts';

const icons = {
  pending: CircleDashed,
  running: LoaderCircle,
  done: CircleCheck,
  error: CircleAlert,
  unknown: CircleHelp,
};
const looks = {
  pending: 'text-quiet',
  running: 'text-accent',
  done: 'text-good',
  error: 'text-danger',
  unknown: 'text-quiet',
};

/** Where a job stands: a sign, and the word for it unless it is `bare`. */
export function PhaseMark({ phase, bare }: { phase: Phase; bare?: boolean }) {
  const { t } = useTexts();
  const Icon = icons[phase];
  const name = t(`job.phase.${phase}`);
  return (
    <span className={classes('inline-flex items-center gap-1.5 whitespace-nowrap', looks[phase])}>
      <Icon
        size={15}
        className={classes('shrink-0', phase === 'running' && 'animate-spin')}
        {...(bare ? { role: 'img', 'aria-label': name } : { 'aria-hidden': true })}
      />
      {!bare && <span className="font-medium">{name}</span>}
    </span>
  );
}

/** How many of a run's jobs have ended, as a bar. */
export function ProgressBar({ progress }: { progress: { total: number; done: number; error: number } }) {
  const { t } = useTexts();
  const { total, done, error } = progress;
  const share = (part: number) => `${total === 0 ? 0 : (100 * part) / total}%`;
  return (
    <div
      role="progressbar"
      aria-label={t('bulk.progress')}
      aria-valuemin={0}
      aria-valuemax={total}
      aria-valuenow={done + error}
      className="flex h-1.5 w-full overflow-hidden rounded-full bg-sunken"
    >
      <span className="bg-good" style={{ width: share(done) }} />
      <span className="bg-danger" style={{ width: share(error) }} />
    </div>
  );
}
