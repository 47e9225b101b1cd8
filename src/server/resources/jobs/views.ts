import type { GrantPlan } from '../../model/grants.ts';
import { isoTime } from '../../model/iso-time.ts';
import type { Sending } from '../../model/job-state.ts';
import type { EntityRow } from '../../store/entities.ts';
import { lastingText, waitText } from './grant-steps.ts';
import type { KladosGrantedView, KladosGrantView, NamedView, RejectionView } from './wire.ts';
import { grantsNeeded, plansIn, type Workplace } from './workplace.ts';

export function namedView({ id, label }: { id: string; label: string }): NamedView {
  return { id, label };
}

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

/** What a preview says in words. */
export function previewMessage(what: string, place: Workplace): string {
  const { target } = place;
  const where = `the collection "${target.label || target.id}"`;
  const all = plansIn(place);
  const lasting = all.find(({ plan }) => plan.lastingLacks.length > 0);
  if (lasting) return `${what} cannot be started. ${lastingText(lasting.plan, lasting.collection)}`;
  if (all.some(({ plan }) => plan.refused.length > 0))
    return `${what} needs permissions in ${where} that you do not hold yourself, so that you cannot start it.`;
  const waiting = all.find(({ plan }) => plan.wait !== null);
  if (waiting) return `${what} cannot be started now. ${waitText(waiting.plan, waiting.collection)}`;
  const short = all.find(({ plan }) => plan.cutShort);
  const until = short ? ` ${cutShortText(short.plan, short.collection)}` : '';
  const needing = new Set(all.filter(({ plan }) => plan.write !== null).map(({ plan }) => plan.grantee.id)).size;
  const grants = needing === 1 ? 'one processor' : `${needing} processors`;
  return grantsNeeded(place)
    ? `Starting ${what} gives ${grants} temporary permissions in ${where}.${until} Send the same request with "confirm": true to start it.`
    : `${what} has the permissions that it needs in ${where}.${until} Send the same request with "confirm": true to start it.`;
}

function cutShortText({ grantee, expires }: GrantPlan, { id, label }: Pick<EntityRow, 'id' | 'label'>): string {
  return (
    `They end at ${isoTime(expires)}: until then ${grantee.label || grantee.id} holds more in the collection ` +
    `${label || id}, from another run, which you cannot prolong.`
  );
}
