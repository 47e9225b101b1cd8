import { UnreachableError } from '../errors.ts';
import type { SyncContext } from './arrivals.ts';
import { checkKey } from './key-check.ts';
import type { Unusable } from './manifests.ts';
import type { RemoteAnswer } from './remote.ts';
import { checkMeant, FailedAnswerError, isProxied } from './remote-errors.ts';
import { type CurrentView, readBatch, readTip, readTips, readWords } from './wire.ts';

/**
 * The tips of entities at a remote: null for one that it does not know, a trouble for one at which it fails. `views`: current
 * versions that came with them.
 */
export interface TipsThere {
  tips: Map<string, string | null | Unusable>;
  views: Map<string, CurrentView> | null;
}

const untold = 'does not tell tips';
/** What is asked for one by one is asked for together. */
const together = 16;

/**
 * A node tells tips alone; of every other remote current versions are read. What is in no answer is asked for its tip, and
 * is in no tips where `patience` is over before. Where what stands before a node never passes that question, it is read as any other.
 * @param ids at most 100, of a node 200
 * @param liveOnly what is deleted there, or unknown, is in no tips
 * @throws UnreachableError
 */
export async function tipsThere(ctx: SyncContext, ids: string[], { liveOnly = false } = {}): Promise<TipsThere> {
  const told = ctx.blocks && !liveOnly ? await toldTips(ctx, ids) : 'hidden';
  if (told instanceof Map) return { tips: new Map(ids.map((id) => [id, told.get(id) ?? null])), views: null };
  const views = told === null ? null : await readViews(ctx, ids);
  const tips = new Map<string, string | null | Unusable>();
  for (const { entity, cid } of views?.values() ?? []) tips.set(entity, cid);
  const left = liveOnly && views !== null ? [] : ids.filter((id) => !tips.has(id));
  for (let at = 0; at < left.length && !ctx.patience.isOver; at += together)
    await Promise.all(left.slice(at, at + together).map(async (id) => tips.set(id, await tipOf(ctx, id))));
  return { tips, views: told === null ? null : (views ?? new Map()) };
}

/** `hidden`: what stands before the node does not pass the question; null where that fails. @throws UnreachableError */
function toldTips(ctx: SyncContext, ids: string[]): Promise<Map<string, string> | 'hidden' | null> {
  const read = async () => {
    const answer = await ctx.client.read('/node/sync/tips', { ids });
    if (isProxied(answer)) return 'hidden';
    const tips = answer.status === 200 ? readTips(answer.body) : null;
    if (tips === null) throw new UnreachableError(wordsOf(ctx, answer));
    return tips;
  };
  return ctx.patience.readingMany(read, () => ids.length);
}

/**
 * Current versions, by their entities: those of `ids` alone, whatever else a remote tells. A deleted entity's is not among
 * them; none are where the remote fails at that.
 * @throws UnreachableError
 */
export async function currentViews(ctx: SyncContext, ids: string[]): Promise<Map<string, CurrentView>> {
  return (await readViews(ctx, ids)) ?? new Map();
}

/** So many POST /entities/batch-get takes. */
export const mostViews = 100;

/** Null where the remote does not give some of them. */
async function readViews(ctx: SyncContext, ids: string[]): Promise<Map<string, CurrentView> | null> {
  const views = new Map<string, CurrentView>();
  for (let at = 0; at < ids.length; at += mostViews) {
    const some = await readSome(ctx, ids.slice(at, at + mostViews));
    if (some === null) return null;
    for (const [id, view] of some) views.set(id, view);
  }
  return views;
}

async function readSome(ctx: SyncContext, ids: string[]): Promise<Map<string, CurrentView> | null> {
  const asked = new Set(ids);
  const read = async () => {
    const answer = await ctx.client.read('/entities/batch-get', { ids });
    checkKey(ctx.client, answer, untold);
    const { status, body } = answer;
    const views = status === 200 ? readBatch(body) : null;
    return views && new Map(views.flatMap((view) => (asked.has(view.entity) ? [[view.entity, view]] : [])));
  };
  return ctx.patience.readingMany(read, (views) => views?.size ?? 0);
}

/** A deleted entity's, or one's that is in no answer; null where the remote does not know it. @throws UnreachableError */
function tipOf(ctx: SyncContext, id: string): Promise<string | null | Unusable> {
  return ctx.patience.reading(async (): Promise<string | null | Unusable> => {
    const answer = await ctx.client.read(`/entities/${id}/tip`);
    checkMeant(ctx.client.host, answer);
    if (answer.status === 404) return null;
    const tip = answer.status === 200 ? readTip(answer.body) : null;
    if (tip !== null) return tip;
    checkKey(ctx.client, answer, untold);
    if (answer.status === 401 || answer.status === 403)
      return { trouble: 'forbidden', evidence: readWords(answer.body, answer.status) };
    throw new FailedAnswerError(wordsOf(ctx, answer));
  });
}

function wordsOf({ client }: SyncContext, { body, status }: RemoteAnswer): string {
  return `${client.host} ${untold}: ${readWords(body, status)}`;
}
