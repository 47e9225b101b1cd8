import { UnreachableError } from '../errors.ts';
import type { SyncContext } from './arrivals.ts';
import { type CurrentView, readBatch, readTip, readTips, readWords } from './wire.ts';

/** The tips of entities at a remote, null for one that it does not know; `views`: current versions that came with them. */
export interface TipsThere {
  tips: Map<string, string | null>;
  views: Map<string, CurrentView> | null;
}

/**
 * A node tells tips alone; of every other remote current versions are read, and what is in none is asked for its tip.
 * @param ids at most 100, of a node 200
 * @throws UnreachableError
 */
export async function tipsThere(ctx: SyncContext, ids: string[]): Promise<TipsThere> {
  if (ctx.blocks) {
    const { status, body } = await ctx.client.read('/node/sync/tips', { ids });
    const tips = status === 200 ? readTips(body) : null;
    if (tips === null) throw new UnreachableError(`${ctx.client.host} does not tell tips: ${readWords(body, status)}`);
    return { tips: new Map(ids.map((id) => [id, tips.get(id) ?? null])), views: null };
  }
  const { status, body } = await ctx.client.read('/entities/batch-get', { ids });
  const views = new Map(((status === 200 ? readBatch(body) : null) ?? []).map((it) => [it.entity, it]));
  const tips = new Map<string, string | null>();
  for (const id of ids) tips.set(id, views.get(id)?.cid ?? (await tipOf(ctx, id)));
  return { tips, views };
}

/** A deleted entity's, or one's that may not be read; null where the remote does not know it. */
async function tipOf({ client }: SyncContext, id: string): Promise<string | null> {
  const { status, body } = await client.read(`/entities/${id}/tip`);
  if (status === 404) return null;
  const tip = status === 200 ? readTip(body) : null;
  if (tip === null) throw new UnreachableError(`${client.host} does not tell tips: ${readWords(body, status)}`);
  return tip;
}
