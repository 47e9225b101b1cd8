import PQueue from 'p-queue';
import type { Reader } from '../store/connection.ts';
import { findStanding } from '../store/entities.ts';
import { lastMove, movesAfter } from '../store/events.ts';
import { isDueAt, nextAsk } from '../store/remotes/next-ask.ts';
import {
  type ContentState,
  contentEntities,
  contentStates,
  dueContents,
  holdersAt,
} from '../store/remotes/remote-content.ts';
import { findKnown } from '../store/remotes/remotes.ts';
import { findVersion } from '../store/versions.ts';
import { type Fetched, fetchBytes, type Missed } from './fetch-bytes.ts';
import { type NamedBytes, namedBytes } from './named-bytes.ts';
import { noteRows } from './note-rows.ts';
import type { PushContext } from './push-context.ts';
import { isFailure } from './remote-errors.ts';
import { sendBytes } from './send-bytes.ts';

const pageSize = 200;
/** Files at once. */
const concurrency = 4;

/** What is to be done for one entity. */
interface Task {
  way: 'fetch' | 'send' | 'forget';
  named: NamedBytes;
  state: ContentState | undefined;
}

/**
 * Fetches the bytes that current versions name and that are not here, and sends those that the remote lacks. What there
 * is to do is found by comparing (SPEC.md, Content), so that nothing is forgotten.
 * @throws UnreachableError; what has come stays
 */
export async function syncContent(ctx: PushContext, { sends }: { sends: boolean }): Promise<void> {
  const { store, memory, report, files, failing } = ctx;
  const head = store.read(lastMove);
  const kept = files.keptSoFar();
  const queue = new PQueue({ concurrency });
  const failures: unknown[] = [];
  // Moves and files that came may name an entity several times.
  const underWay = new Set<string>();
  const work = async (task: Task) => {
    if (failures.length > 0) return;
    if (task.way === 'fetch') await fetchOne(ctx, task, sends);
    else if (task.way === 'send') await unlessFailing(ctx, task.named, () => sendOne(ctx, task));
    else await noteRows(ctx, { kind: 'content_settled', ...placeOf(ctx, task.named) });
  };
  try {
    for await (const ids of toCompare(ctx, head)) {
      const tasks: Task[] = [];
      await ctx.turns.each(ids, (id) => {
        tasks.push(...store.read((db) => tasksOf(ctx, db, id, sends)));
      });
      for (const task of tasks) {
        const name = `${task.way} ${task.named.id} ${task.named.cid}`;
        if (underWay.has(name)) continue;
        underWay.add(name);
        await queue.onSizeLessThan(concurrency);
        queue
          .add(() => work(task))
          .catch((error: unknown) => failures.push(error))
          .finally(() => underWay.delete(name));
      }
      if (failures.length > 0) break;
    }
  } finally {
    await queue.onIdle();
  }
  if (failures.length > 0) throw failures[0];
  // What was not pushed is looked at again.
  if (report.stopped !== null) return;
  Object.assign(memory, { compared: head, kept });
  ctx.settled.clear();
  for (const id of failing.keys()) ctx.settled.add(id);
}

/** A remote that fails at one file is no reason to hold back the others. @throws UnreachableError where it fails at everything */
async function unlessFailing({ failing, patience }: PushContext, { id }: NamedBytes, work: () => Promise<void>) {
  try {
    await work();
  } catch (error) {
    if (!isFailure(error)) throw error;
    failing.set(id, error.message);
    await patience.failed(error.message);
    return;
  }
  patience.worked();
}

/**
 * The entities whose bytes are compared: all once, then those that moved here or there, are to be asked for again, or name
 * bytes that have come since, from wherever.
 */
async function* toCompare(ctx: PushContext, head: number) {
  const { store, remote, memory, settled, now, files, turns } = ctx;
  const came = files.keptAfter(memory.kept);
  if (memory.compared === null || came === null) {
    for (let after: number | null = 0; after !== null; ) {
      const from: number = after;
      const page = store.read((db) => contentEntities(db, remote.key, from, pageSize));
      yield page.ids;
      after = page.next;
    }
    return;
  }
  const seen = new Set<string>([...settled, ...store.read((db) => dueContents(db, remote.key, now()))]);
  yield [...seen];
  for (const cid of came)
    for (let after: number | null = 0; after !== null; ) {
      await turns.next();
      const from: number = after;
      const page = store.read((db) => holdersAt(db, remote.key, cid, { after: from, limit: pageSize }));
      const fresh = page.ids.filter((id) => !seen.has(id));
      for (const id of fresh) seen.add(id);
      if (fresh.length > 0) yield fresh;
      after = page.next;
    }
  for (let at = memory.compared; at < head; ) {
    const { moves } = store.read((db) => movesAfter(db, at, pageSize, head + 1));
    yield [...new Set(moves.map(({ entity }) => entity))].filter((id) => !seen.has(id));
    at = moves.at(-1)?.id ?? head;
  }
}

function tasksOf(ctx: PushContext, db: Reader, id: string, sends: boolean): Task[] {
  const { remote, files, now } = ctx;
  const known = findKnown(db, remote.key, id);
  const theirs = known.theirs === null ? undefined : findVersion(db, known.theirs);
  const standing = findStanding(db, id);
  if (!theirs || !standing) return [];
  const states = contentStates(db, remote.key, id);
  const there = namedBytes(theirs.manifest);
  const here = standing.cid === theirs.cid ? there : namedBytes(standing.manifest);
  const named = new Map([...here, ...there].map((it) => [it.cid, it]));
  const tasks: Task[] = [];
  const isDue = (state: ContentState | undefined) => state?.again == null || isDueAt(state.again, now());
  if (remote.content === 'tips' && remote.direction !== 'push')
    for (const one of named.values()) {
      const state = states.get(one.cid);
      if (isDue(state) && !files.has(one.cid)) tasks.push({ way: 'fetch', named: one, state });
    }
  // What could not be had is here now, or nobody names it any more.
  for (const [cid, state] of states) {
    const past = isTrouble(state) && (!named.has(cid) || files.has(cid) === (state.state !== 'unsent'));
    if (past) tasks.push({ way: 'forget', named: { ...nothing, id, cid }, state });
  }
  // A refusal stands until the entity is edited.
  if (sends && known.refusal?.tip !== standing.cid)
    for (const one of there) {
      const state = states.get(one.cid);
      if (state?.state !== 'there' && isDue(state) && files.has(one.cid))
        tasks.push({ way: 'send', named: one, state });
    }
  return tasks;
}

const nothing = { key: null, type: '', filename: null, size: null };

function isTrouble({ state }: ContentState): boolean {
  return state !== 'there' && state !== 'sending';
}

async function fetchOne(ctx: PushContext, { named, state }: Task, sends: boolean): Promise<void> {
  const { files, flights, report, remote } = ctx;
  const noteGiven = async (given: boolean) => {
    if (!given) await noteHere(ctx, { named, state });
    else if (sends || state !== undefined) await noteRows(ctx, { kind: 'content_there', ...placeOf(ctx, named) });
  };
  const key = `${ctx.store.network} ${named.cid}`;
  // The same bytes may be under way for another entity, or from another remote.
  let giver: string | null = null;
  for (let flight = flights.get(key); flight; flight = flights.get(key)) giver = await flight;
  if (files.has(named.cid)) return noteGiven(giver === remote.name);
  const onBytes = (bytes: number) => {
    report.content.bytes += bytes;
  };
  const flight = fetchBytes({ ...ctx, onBytes }, named);
  // Given by a key, or as a file's own, they say nothing of another entity that names them.
  const giverOf = (found: Fetched) => (found === 'cid' ? remote.name : null);
  flights.set(
    key,
    flight.then(giverOf, () => null),
  );
  let result: Fetched;
  try {
    result = await flight;
  } finally {
    flights.delete(key);
  }
  if (typeof result === 'object') {
    report.content.missing++;
    await noteTrouble(ctx, { named, state }, result);
    return;
  }
  report.content.files++;
  await noteGiven(result !== 'whole');
}

/** They came otherwise: whether this remote has them is asked by the next run, which compares all that came in this one. */
async function noteHere(ctx: PushContext, { named, state }: Omit<Task, 'way'>): Promise<void> {
  if (state !== undefined) await noteRows(ctx, { kind: 'content_settled', ...placeOf(ctx, named) });
}

async function sendOne(ctx: PushContext, { named, state }: Task): Promise<void> {
  if ((await sendBytes(ctx, named, state)) !== 'no_address') return;
  const evidence = 'it names them, lacks them, and gives no address for them';
  await noteTrouble(ctx, { named, state }, { trouble: 'unsent', evidence });
}

async function noteTrouble(ctx: PushContext, { named, state }: Omit<Task, 'way'>, missed: Missed): Promise<void> {
  const again = nextAsk(ctx.now(), state?.tries ?? 0);
  await noteRows(ctx, { kind: 'content_trouble', ...placeOf(ctx, named), ...missed, again });
}

function placeOf({ remote }: PushContext, { id, cid }: NamedBytes) {
  return { remote: remote.name, id, cid };
}
