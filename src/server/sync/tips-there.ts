import { UnreachableError } from '../errors.ts';
import type { SyncContext } from './arrivals.ts';
import { isUnusable, type Unusable } from './manifests.ts';
import type { RemoteAnswer } from './remote.ts';
import { type CurrentView, readBatch, readTip, readTips, readWords } from './wire.ts';

/**
 * The tips of entities at a remote: null for one that it does not know, a trouble for one at which it fails. `views`: current
 * versions that came with them.
 */
export interface TipsThere {
  tips: Map<string, string | null | Unusable>;
  views: Map<string, CurrentView> | null;
}

/** What is asked for one by one is asked for together. */
const together = 16;

/**
 * A node tells tips alone; of every other remote current versions are read. What is in no answer is asked for its tip, and
 * is in no tips where `patience` is over before.
 * @param ids at most 100, of a node 200
 * @throws UnreachableError
 */
export async function tipsThere(ctx: SyncContext, ids: string[]): Promise<TipsThere> {
  const path = ctx.blocks ? '/node/sync/tips' : '/entities/batch-get';
  const answer = await ctx.patience.readingMany(() => ctx.client.read(path, { ids }));
  if (ctx.blocks && answer !== null) {
    const tips = answer.status === 200 ? readTips(answer.body) : null;
    if (tips === null) throw new UnreachableError(untold(ctx, answer));
    return { tips: new Map(ids.map((id) => [id, tips.get(id) ?? null])), views: null };
  }
  const found = answer?.status === 200 ? readBatch(answer.body) : null;
  const asked = new Set(ids);
  // Whatever else a remote tells is none of what may come from there.
  const views = new Map((found ?? []).flatMap((view) => (asked.has(view.entity) ? [[view.entity, view]] : [])));
  const tips = new Map<string, string | null | Unusable>([...views.values()].map(({ entity, cid }) => [entity, cid]));
  const left = ids.filter((id) => !views.has(id));
  for (let at = 0; at < left.length && !ctx.patience.isOver; at += together)
    await Promise.all(left.slice(at, at + together).map(async (id) => tips.set(id, await tipOf(ctx, id))));
  return { tips, views: ctx.blocks ? null : views };
}

/** A deleted entity's, or one's that may not be read; null where the remote does not know it. */
async function tipOf(ctx: SyncContext, id: string): Promise<string | null | Unusable> {
  const answer = await ctx.patience.reading(() => ctx.client.read(`/entities/${id}/tip`));
  if (isUnusable(answer)) return answer;
  if (answer.status === 404) return null;
  const tip = answer.status === 200 ? readTip(answer.body) : null;
  return tip ?? (await ctx.patience.useless(untold(ctx, answer)));
}

function untold({ client }: SyncContext, { body, status }: RemoteAnswer): string {
  return `${client.host} does not tell tips: ${readWords(body, status)}`;
}
