import type { SyncContext } from './arrivals.ts';
import { noteRows } from './note-rows.ts';

/** Keeps which node a remote is from now on. */
export async function pin(ctx: Pick<SyncContext, 'store' | 'remote' | 'now' | 'signal'>): Promise<void> {
  const { name, url, secret, instance, user, direction, collections } = ctx.remote;
  await noteRows(ctx, { kind: 'remote', remote: name, url, secret, instance, user, direction, collections });
}
