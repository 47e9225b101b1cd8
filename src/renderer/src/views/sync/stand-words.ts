import type { components } from '../../api/schema.d.ts';
import type { Texts } from '../../messages/translate.ts';

type Remote = components['schemas']['RemoteView'];
type Report = components['schemas']['SyncReportView'];

/** How much somebody has to care: `wrong` and `look` want something of them. */
export type Tone = 'good' | 'plain' | 'look' | 'wrong';

export interface Sentence {
  tone: Tone;
  text: string;
  /** What the node or the remote said itself, in its own words. */
  quote?: string;
}

type Says = Pick<Texts, 't' | 'ago' | 'list' | 'number' | 'counted'>;

/** Fewer hours than these before events are lost are worth a warning. */
const fewHours = 72;

/** How things stand with a remote, in the reader's language: one sentence that says most, then the others. */
export function standWords(remote: Remote, says: Says, now: number): Sentence[] {
  return [headline(remote, says), ...details(remote, says, now)];
}

/** The one sentence. */
export function headline(remote: Remote, { t, ago, list, number, counted }: Says): Sentence {
  const { running, last_run: last, conflicts, refused, pending, lag } = remote;
  if (running) return { tone: 'plain', text: t('sync.now.running') };
  if (!last) return { tone: 'look', text: t('sync.now.never') };
  const time = ago(new Date(last.ended_at));
  const { stop, stopped } = last.report;
  if (last.error !== null)
    return {
      tone: last.fault === 'ended' ? 'look' : 'wrong',
      text: t(`sync.fault.${last.fault ?? 'other'}`, { time }),
      ...(last.fault === 'ended' ? {} : { quote: last.error }),
    };
  if (stop) return { tone: 'look', text: stopWords(stop, { t, counted }), ...(stopped ? { quote: stopped } : {}) };
  const open = [
    ...(conflicts > 0 ? [t('sync.now.conflicts', { count: conflicts, number: number(conflicts) })] : []),
    ...(refused > 0 ? [t('sync.now.refused', { count: refused, number: number(refused) })] : []),
  ];
  if (open.length > 0) return { tone: 'look', text: t('sync.now.open', { what: list(open) }) };
  if (pending > 0) return { tone: 'plain', text: t('sync.now.pending', { count: pending, number: number(pending) }) };
  if (lag.events)
    return { tone: 'plain', text: t('sync.now.behind', { count: lag.events, number: number(lag.events) }) };
  return { tone: 'good', text: t('sync.now.level', { time }) };
}

function details(remote: Remote, { t, ago, list, number }: Says, now: number): Sentence[] {
  const {
    last_run: last,
    next_run_at: next,
    watch,
    hours,
    max_kbps,
    mirrored,
    pending,
    lag,
    troubles,
    contents,
  } = remote;
  const { unread_expire_in_h: left, lost, all_read_at: read, conflicts, refused } = remote;
  const plain = (text: string): Sentence => ({ tone: 'plain', text });
  const look = (text: string): Sentence => ({ tone: 'look', text });
  const unswept = lost.filter(({ swept }) => !swept).reduce((sum, { first, last }) => sum + last - first + 1, 0);
  const isUncatalogued =
    remote.direction !== 'push' && (last?.report.uncatalogued || lost.some(({ uncatalogued }) => uncatalogued));
  const wait = next === null ? null : new Date(next);
  const limits = [
    ...(hours === null ? [] : [t('sync.watch.hours', { from: hours.split('-')[0]!, to: hours.split('-')[1]! })]),
    ...(max_kbps === null ? [] : [t('sync.watch.rate', { rate: number(max_kbps) })]),
  ];
  const due = wait && (wait.getTime() <= now ? t('sync.watch.atOnce') : t('sync.watch.next', { time: ago(wait) }));
  return [
    plain(t('sync.mirrored', { count: mirrored, number: number(mirrored) })),
    ...(pending > 0 && conflicts + refused > 0
      ? [plain(t('sync.now.pending', { count: pending, number: number(pending) }))]
      : []),
    ...(last && last.error === null
      ? [plain(t('sync.lastDid', { what: didWords(last.report, { t, list, number }) }))]
      : []),
    ...(lag.events && read
      ? [plain(t('sync.unread', { count: lag.events, number: number(lag.events), time: ago(new Date(read)) }))]
      : []),
    ...(left !== null && left < fewHours
      ? [look(t(left === 0 ? 'sync.expired' : 'sync.expiring', { count: left }))]
      : []),
    ...(unswept > 0 ? [look(t('sync.lost', { count: unswept, number: number(unswept) }))] : []),
    ...(isUncatalogued ? [look(t('sync.uncatalogued'))] : []),
    ...(watch || wait
      ? [plain([t('sync.watch.on'), ...limits, ...(due ? [due] : [])].join(' '))]
      : [plain(t('sync.watch.off'))]),
    ...Object.entries(troubles).map(([kind, n]) =>
      look(t(`sync.trouble.${kind as 'forbidden'}`, { count: n, number: number(n) })),
    ),
    ...Object.entries(contents).map(([kind, n]) =>
      look(t(`sync.content.${kind as 'forbidden'}`, { count: n, number: number(n) })),
    ),
  ];
}

/** What is left for a sync under way, as far as that is something. */
export function leftWords({ lag, pending }: Pick<Remote, 'lag' | 'pending'>, { t, number }: Says): string[] {
  return [
    ...(lag.events ? [t('sync.leftEvents', { count: lag.events, number: number(lag.events) })] : []),
    ...(pending > 0 ? [t('sync.leftPending', { count: pending, number: number(pending) })] : []),
  ];
}

/** Why a sync stopped. */
export function stopWords(
  { kind, count = 0, of = 0 }: NonNullable<Report['stop']>,
  { t, counted }: Pick<Texts, 't' | 'counted'>,
): string {
  return t(`sync.stop.${kind}`, { count, number: count, entities: counted('count.entities', of) });
}

/** What a sync did, as far as it did something. */
export function didWords(report: Report, { t, list, number }: Omit<Says, 'ago' | 'counted'>): string {
  const { versions, created, updated, deleted, restored, merged, conflicts, refused, content, sent } = report;
  const counts = {
    ...{ versions, created, updated, deleted, restored, merged, conflicts, refused },
    ...{ fetched: content.files, sent: sent.files },
  };
  const parts = Object.entries(counts)
    .filter(([, n]) => n > 0)
    .map(([what, n]) => t(`sync.did.${what as 'versions'}`, { count: n, number: number(n) }));
  return parts.length > 0 ? list(parts) : t('sync.did.nothing');
}
