import { duration } from '../model/duration.ts';
import type { RemoteCounts } from '../store/remotes/open-counts.ts';
import type { RefusalRow, SeenRow } from '../store/remotes/remotes.ts';
import type { RemoteSettings } from '../store/remotes/sync-rows.ts';
import type { Unlisted } from '../store/remotes/unlisted.ts';
import type { Report } from './report.ts';
import type { LastRun } from './runs.ts';
import type { Lag } from './stand.ts';

/** How things stand with a remote. */
export interface Stand extends RemoteCounts, RemoteSettings {
  name: string;
  pulls: boolean;
  seen: readonly SeenRow[];
  refusals: readonly RefusalRow[];
  unlisted: readonly Unlisted[];
  lag: Lag;
  hoursLeft: number | null;
  running: Report | null;
  lastRun: LastRun | null;
  /** When the node syncs with it next by itself, in epoch milliseconds. */
  next: number | null;
}

/** Fewer hours than these before events are lost are worth a warning. */
const fewHours = 72;
const shownReasons = 3;

/** The same in plain sentences, what needs somebody last. */
export function wordsOf(stand: Stand, now: number): string[] {
  return [
    ...(stand.pulls ? feedWords(stand, now) : []),
    `${entities(stand.mirrored)} mirrored, ${stand.pending === 0 ? 'nothing' : number(stand.pending)} to push.`,
    ...runWords(stand, now),
    nextWords(stand, now),
    ...openWords(stand),
  ];
}

function feedWords({ seen, lag, hoursLeft, lastRun }: Stand, now: number): string[] {
  const intervals = (wanted: (it: SeenRow) => boolean) =>
    seen.filter(wanted).map(({ first, last }) => `${number(first)} to ${number(last)}`);
  const dealt = intervals((it) => !it.lost);
  const expired = (wanted: (it: SeenRow) => boolean, then: string) => {
    const found = intervals((it) => it.lost && wanted(it));
    return found.length > 0 ? [`Events ${found.join(', ')} had expired before they were seen${then}.`] : [];
  };
  const level = lastRun?.level ?? null;
  const ago = (time: number) => `${duration(Math.max(0, Math.floor((now - time) / 1000)))} ago`;
  const behind =
    level === null
      ? 'Its events have not been read to the end yet'
      : lag.events === 0
        ? `All its events were read ${ago(level)}`
        : `${number(lag.events ?? 0)} events are unread; all were read ${ago(level)}`;
  return [
    dealt.length === 0 ? 'No event seen yet.' : `Events ${dealt.join(', ')} seen.`,
    ...expired((it) => it.swept && !it.uncatalogued, '; everything was compared instead'),
    ...expired((it) => it.uncatalogued, '; what is known was compared instead'),
    ...expired((it) => !it.swept, ', and what they told is still to be looked for'),
    ...(lastRun?.report.uncatalogued || seen.some((it) => it.uncatalogued) ? [uncataloguedWords] : []),
    `${behind}${level === null && lag.events ? `: ${number(lag.events)} are left` : ''}.`,
    ...expiryWords(lag.events ?? 0, hoursLeft),
  ];
}

const uncataloguedWords =
  'The remote does not list its collections: what rested there for longer than its feed tells is not known.';

function expiryWords(unread: number, hoursLeft: number | null): string[] {
  if (hoursLeft === null || (unread === 0 && hoursLeft >= fewHours)) return [];
  if (hoursLeft === 0) return ['Events may have been lost since then: sync as soon as possible.'];
  const before = hoursLeft < fewHours ? ': sync before that' : '';
  return [`Unread events begin to expire in ${number(hoursLeft)} hours${before}.`];
}

function runWords({ lastRun, running }: Stand, now: number): string[] {
  const words = running ? [`A sync is under way: ${reportWords(running)} so far.`] : [];
  if (lastRun === null) return running ? words : ['Never synced.'];
  const ago = `${duration(Math.max(0, Math.floor((now - lastRun.ended) / 1000)))} ago`;
  const { error, report } = lastRun;
  if (error !== null) return [...words, `The last sync failed ${ago}: ${sentence(error)}`];
  if (report.stopped !== null) return [...words, `The last sync stopped ${ago}: ${sentence(report.stopped)}`];
  return [...words, `Last synced ${ago}: ${reportWords(report)}.`];
}

function reportWords({ versions, created, updated, deleted, restored, content, sent }: Report): string {
  const pushed = created + updated + deleted + restored;
  if (versions + pushed + content.files + sent.files === 0) return 'nothing new';
  return [
    `${count(versions, 'version', 'versions')} pulled, ${count(pushed, 'change', 'changes')} pushed`,
    ...(content.files > 0 ? [`${count(content.files, 'file', 'files')} fetched (${byteWords(content.bytes)})`] : []),
    ...(sent.files > 0 ? [`${count(sent.files, 'file', 'files')} sent (${byteWords(sent.bytes)})`] : []),
  ].join(', ');
}

function byteWords(bytes: number): string {
  if (bytes < 1000) return `${bytes} bytes`;
  const power = Math.min(4, Math.floor(Math.log10(bytes) / 3));
  return `${(bytes / 1000 ** power).toFixed(1)} ${['kB', 'MB', 'GB', 'TB'][power - 1]}`;
}

function nextWords({ name, watch, hours, max_kbps, next }: Stand, now: number): string {
  const limits = [
    ...(hours === null ? [] : [`from ${hours.replace('-', ' to ')} o'clock`]),
    ...(max_kbps === null ? [] : [`with at most ${number(max_kbps)} kbit/s`]),
  ];
  const how = limits.length > 0 ? ` ${limits.join(', ')}` : '';
  if (next !== null) {
    const wait = Math.max(0, Math.round((next - now) / 1000));
    return `Watched${how}; the next sync begins ${wait === 0 ? 'now' : `in ${duration(wait)}`}.`;
  }
  if (watch) return `Watched${how} while "archeion serve" runs.`;
  return `Not watched: "archeion remote set ${name} --watch" keeps it in sync${how}.`;
}

function openWords({ conflicts, refused, refusals, troubles, contents, unlisted, pulls }: Stand): string[] {
  const { unsent = 0, ...missing } = contents;
  const bytes = Object.entries(missing).map(([kind, n]) => `${number(n)} ${troubleWords[kind] ?? kind}`);
  const files = Object.values(missing).reduce((sum, n) => sum + n, 0);
  const kinds = Object.entries(troubles).map(([kind, n]) => `${number(n)} ${troubleWords[kind] ?? kind}`);
  const unread = Object.values(troubles).reduce((sum, n) => sum + n, 0);
  const isAs = (a: RefusalRow) => (b: RefusalRow) => a.status === b.status && a.words === b.words;
  const firsts = refusals.filter((it, i) => refusals.findIndex(isAs(it)) === i).slice(0, shownReasons);
  const more = refused - firsts.reduce((sum, { alike }) => sum + alike, 0);
  return [
    ...(unread > 0 ? [`${entities(unread)} known and not taken over: ${kinds.join(', ')}.`] : []),
    ...(pulls && unlisted.length > 0
      ? [
          `What ${count(unlisted.length, 'collection holds', 'collections hold')} could not be listed there, and is asked for again.`,
        ]
      : []),
    ...(files > 0 ? [`The bytes of ${count(files, 'file', 'files')} are still to come: ${bytes.join(', ')}.`] : []),
    ...(unsent > 0
      ? [`The bytes of ${count(unsent, 'file', 'files')} are still to go there: it gives no address for them now.`]
      : []),
    ...firsts.map(refusalWords),
    ...(more > 0 ? [`It refused ${number(more)} more.`] : []),
    ...(conflicts > 0
      ? [`${count(conflicts, 'conflict waits', 'conflicts wait')}: "archeion conflicts" lists them.`]
      : []),
  ];
}

function refusalWords({ id, words, alike }: RefusalRow): string {
  const what = alike === 1 ? id : `${number(alike)} for the same reason, ${id} among them`;
  return `It refused ${what}: ${sentence(words)}`;
}

const troubleWords: Record<string, string> = {
  forbidden: 'not shown to this key (403)',
  missing: 'gone (404)',
  mismatch: 'with a wrong hash',
  unverifiable: 'unverifiable',
  incomplete: 'without a complete history',
  failing: 'at which it fails (5xx)',
};

const number = (n: number): string => n.toLocaleString('en');

function count(n: number, one: string, more: string): string {
  return `${number(n)} ${n === 1 ? one : more}`;
}

function entities(n: number): string {
  return count(n, 'entity', 'entities');
}

function sentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}
