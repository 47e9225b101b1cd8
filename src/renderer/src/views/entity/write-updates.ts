import { answered, api } from '../../api/client.ts';
import { Failure } from '../../api/failure.ts';
import { manifestOf } from './bring-back.ts';
import type { Entity } from './entity-queries.ts';
import {
  byKey,
  type Content,
  contentOf,
  isPlace,
  keyOf,
  sameContent,
  stepsBetween,
  type Update,
  updateBetween,
} from './model/content.ts';

/**
 * Makes `next` of `base`, which is what the version `tip` says, each step (`stepsBetween`) as a version of its own, and gives the
 * last one. Where an earlier try has made the first of two, it is gone on from.
 * `leadsNowhereNew`: whether what an update leads to may be gone. @throws Failure; what was written before stays
 */
export async function writeUpdates(
  id: string,
  tip: string,
  { base, next }: { base: Content; next: Content },
  note: string,
  leadsNowhereNew: (update: Update) => boolean,
): Promise<Entity> {
  const write = (expect_tip: string, update: Update) => {
    const validate_relationships = leadsNowhereNew(update) ? 'false' : 'true';
    const params = { path: { id }, query: { validate_relationships } as const };
    return answered<Entity>(
      api.PUT('/entities/{id}', { params, body: { expect_tip, ...update, ...(note && { note }) } }),
    );
  };
  let [cid, says] = [tip, base];
  for (const step of stepsBetween(base, next).slice(0, -1)) {
    await refuseHalf(step, next);
    cid = await write(cid, updateBetween(says, step)).then(
      (saved) => saved.cid,
      (error: unknown) => madeBefore(error, cid, step),
    );
    says = step;
  }
  return write(cid, updateBetween(says, next));
}

/** The version by which an earlier try has made `step` over the version `tip`. @throws `error`, where there is none */
async function madeBefore(error: unknown, tip: string, step: Content): Promise<string> {
  const actual = error instanceof Failure ? error.actual : null;
  if (actual === null) throw error;
  const now = await manifestOf(actual);
  if (now.deleted || now.prev?.['/'] !== tip || !sameContent(contentOf(now), step)) throw error;
  return actual;
}

/**
 * Refuses what could be done only half: after `step` the entity lies where the first collection of `next` decides, and no longer in
 * those that stand behind it there. @throws Failure, before anything is written
 */
async function refuseHalf(step: Content, next: Content): Promise<void> {
  const [first, ...others] = next.relationships.filter(isPlace);
  const there = byKey(step.relationships);
  if (first) await requireIn(first.peer, 'entity:update');
  for (const one of others) if (!there.has(keyOf(one))) await requireIn(one.peer, 'entity:create');
}

/** @throws Failure where that may not be done in a collection; one that is not here is no hindrance */
async function requireIn(collection: string, action: string): Promise<void> {
  try {
    const params = { path: { id: collection } };
    const { allowed_actions } = await answered(api.GET('/entities/{id}/permissions', { params }));
    if (!allowed_actions.includes(action)) throw new Failure('forbidden', `Action not allowed: ${action}`, 403);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    if (error.kind === 'gone') throw new Failure('invalid', `the collection ${collection} is deleted`, 400);
    if (error.kind !== 'missing') throw error;
  }
}
