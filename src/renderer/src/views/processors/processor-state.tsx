import { BadgeCheck, BadgeX, Terminal } from 'lucide-react';
import { classes } from '../../components/classes.ts';
import { useTexts } from '../../messages/texts.tsx';
import { type Kind, statuses } from './processors-address.ts';

/** What the state of a processor depends on. */
export interface Standing {
  type: Kind;
  status: string | null;
  endpoint: string | null;
  endpoint_verified_at: string | null;
}

const looks: Record<string, string> = {
  active: 'bg-good-soft text-good',
  development: 'bg-warning-soft text-warning',
  disabled: 'bg-sunken text-quiet',
};

/** Whether a processor can be started. */
export function StatusMark({ status }: { status: string | null }) {
  const { t } = useTexts();
  const known = statuses.find((one) => one === status);
  return (
    <span
      className={classes(
        'inline-block rounded-full px-2 py-0.5 text-xs font-medium whitespace-nowrap',
        looks[status ?? ''] ?? 'bg-sunken text-quiet',
      )}
    >
      {known ? t(`processor.status.${known}`) : (status ?? t('processor.status.development')).slice(0, 40)}
    </span>
  );
}

/** Whether the endpoint has proved whose it is; commands of the node need not, and workflows have none. */
export function VerifiedMark({ type, endpoint, endpoint_verified_at }: Standing) {
  const { t } = useTexts();
  if (type === 'rhiza') return null;
  const [Icon, text, look] = isCommand(endpoint)
    ? ([Terminal, t('processor.local'), 'text-quiet'] as const)
    : endpoint_verified_at
      ? ([BadgeCheck, t('processor.verified'), 'text-good'] as const)
      : ([BadgeX, t('processor.unverified'), 'text-warning'] as const);
  return (
    <span className={classes('inline-flex items-center gap-1 text-xs whitespace-nowrap', look)}>
      <Icon size={13} aria-hidden />
      {text}
    </span>
  );
}

/** Whether an endpoint is a command of the node. */
export function isCommand(endpoint: string | null | undefined): boolean {
  return endpoint?.startsWith('exec:') ?? false;
}
