import { Progress as Radix } from 'radix-ui';
import { classes } from './classes.ts';

/** How far something is; `total` null where nobody knows. */
export function Progress({ label, done, total }: { label: string; done: number; total: number | null }) {
  const share = total === null || total === 0 ? null : Math.min(1, done / total);
  return (
    <Radix.Root
      value={share === null ? null : done}
      {...(total ? { max: total } : {})}
      aria-label={label}
      className="h-2 overflow-hidden rounded-full bg-sunken"
    >
      <Radix.Indicator
        className={classes('h-full bg-accent', share === null && 'animate-pulse')}
        // As wide as all of it, it would look as if it had ended, where nothing moves.
        style={{ width: `${(share ?? 1 / 3) * 100}%` }}
      />
    </Radix.Root>
  );
}
