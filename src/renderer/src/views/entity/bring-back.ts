import type { QueryClient } from '@tanstack/react-query';
import { answered, api } from '../../api/client.ts';
import { Failure } from '../../api/failure.ts';
import { carryOverSame } from './draft.ts';
import { fetchAnew } from './entity-queries.ts';
import { contentOf, sameContent } from './model/content.ts';

/** A version as it was hashed. @throws Failure */
export async function manifestOf(cid: string) {
  return (await answered(api.GET('/versions/manifest/{cid}', { params: { path: { cid } } }))).manifest;
}

/**
 * Takes the deletion back that is the newest version, and gives the version that this made. One that is taken back already,
 * as its answer was lost, is as good; in the place of the deletion may stand what a remote has made of it. @throws Failure
 */
export async function bringBack(id: string, deletion: string): Promise<string> {
  try {
    return await restored(id, deletion);
  } catch (error) {
    const tip = error instanceof Failure ? error.actual : null;
    if (tip === null) throw error;
    if (await isBack(tip, deletion)) return tip;
    if (!(await isSameDeletion(tip, deletion))) throw error;
    return await restored(id, tip);
  }
}

async function restored(id: string, deletion: string): Promise<string> {
  const params = { path: { id } };
  return (await answered(api.POST('/entities/{id}/restore', { params, body: { expect_tip: deletion } }))).cid;
}

/** The same; what is typed over what the entity says then goes on over the new version. `putBack` brings it back first. */
export async function bringBackTyped(
  queries: QueryClient,
  id: string,
  deletion: string,
  putBack?: () => void,
): Promise<string> {
  const cid = await bringBack(id, deletion);
  putBack?.();
  // Where that fails it is back all the same: the page fetches it again by itself.
  const now = await fetchAnew(queries, id).catch(() => undefined);
  if (now?.cid === cid) carryOverSame(now);
  return cid;
}

/** Whether a version says right after a deletion what was said right before it. */
async function isBack(cid: string, deletion: string): Promise<boolean> {
  const now = await manifestOf(cid);
  if (now.deleted || now.prev?.['/'] !== deletion) return false;
  const last = (await manifestOf(deletion)).prev?.['/'];
  return last !== undefined && sameContent(contentOf(now), contentOf(await manifestOf(last)));
}

/** Whether a version deletes what another one deleted, and was not made after that had been taken back. */
async function isSameDeletion(cid: string, deletion: string): Promise<boolean> {
  const now = await manifestOf(cid);
  const [live, last] = [now.prev?.['/'], (await manifestOf(deletion)).prev?.['/']];
  if (!now.deleted || live === undefined || last === undefined) return false;
  const below = await manifestOf(live);
  return below.prev?.['/'] !== deletion && sameContent(contentOf(below), contentOf(await manifestOf(last)));
}
