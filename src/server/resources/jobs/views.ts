import type { GrantPlan } from '../../model/grants.ts';
import type { Sending } from '../../model/job-state.ts';
import type { EntityRow } from '../../store/entities.ts';
import type { KladosGrantedView, KladosGrantView, NamedView, RejectionView } from './wire.ts';

export function namedView({ id, label }: { id: string; label: string }): NamedView {
  return { id, label };
}

export const isoTime = (ms: number): string => new Date(ms).toISOString();

/** What a preview says of a grant, but for whose it is. */
export function grantFacts({ actions, role, alreadyGranted, expired, currentExpires }: GrantPlan) {
  return {
    actions,
    role,
    already_granted: alreadyGranted,
    expired,
    ...(currentExpires !== null && { current_expires_at: isoTime(currentExpires) }),
  };
}

export function kladosGrant(plan: GrantPlan): KladosGrantView {
  return { klados: namedView(plan.grantee), ...grantFacts(plan) };
}

/** What a started invocation says of a grant, but for whose it is. */
export function grantedFacts({ role, expires, write }: GrantPlan) {
  return { role, expires_at: isoTime(expires), was_update: write?.update ?? false };
}

export function kladosGranted(plan: GrantPlan): KladosGrantedView {
  return { klados_id: plan.grantee.id, ...grantedFacts(plan) };
}

/** The refusal that a sent request met; null where it was taken, or nobody can tell (then its log is waited for). */
export function rejection({ state, error, retryAfter }: Sending): RejectionView | null {
  if (state !== 'refused') return null;
  return {
    status: 'rejected',
    error: error ?? 'the processor refused the job',
    ...(retryAfter !== null && { retry_after: retryAfter }),
  };
}

/** The sentence of a preview. */
export function previewMessage(
  what: string,
  target: Pick<EntityRow, 'id' | 'label'>,
  { proceed, needed, count }: { proceed: boolean; needed: boolean; count: number },
): string {
  const where = `the collection "${target.label || target.id}"`;
  if (!proceed)
    return `${what} needs permissions in ${where} that you do not hold yourself, so that you cannot start it.`;
  const grants = count === 1 ? 'one processor' : `${count} processors`;
  return needed
    ? `Starting ${what} gives ${grants} temporary permissions in ${where}. Send the same request with "confirm": true to start it.`
    : `${what} has the permissions that it needs in ${where}. Send the same request with "confirm": true to start it.`;
}
