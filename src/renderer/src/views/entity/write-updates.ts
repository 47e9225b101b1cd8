import { answered, api } from '../../api/client.ts';
import { Failure } from '../../api/failure.ts';
import type { components } from '../../api/schema.d.ts';
import { rolesOf } from '../members/access.ts';
import { allowsOf, sourceOf } from '../members/grants.ts';
import { fetchCollection } from '../members/members-queries.ts';
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
    await refuseHalf(id, step, next);
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
async function refuseHalf(id: string, step: Content, next: Content): Promise<void> {
  const [first, ...others] = next.relationships.filter(isPlace);
  const there = byKey(step.relationships);
  const { entity_type: type } = await permissionsIn(id);
  // What a collection itself, or a user, may be made to say, it decides wherever it lies.
  if (first && type !== 'collection' && type !== 'user')
    await requireIn(first.peer, (permissions) => mayUpdate(permissions, type));
  for (const one of others)
    if (!there.has(keyOf(one)))
      await requireIn(one.peer, async ({ allowed_actions }) =>
        allowed_actions.includes('entity:create') ? null : 'entity:create',
      );
}

type Permissions = components['schemas']['EntityPermissionsView'];

function permissionsIn(id: string): Promise<Permissions> {
  return answered(api.GET('/entities/{id}/permissions', { params: { path: { id } } }));
}

/**
 * The action that is wanting to change entities of that type in a collection, null where none is. What its permissions list is of
 * all types together: what a role there gives for one alone, the role says.
 */
async function mayUpdate(
  { entity_id, allowed_actions, resolution }: Permissions,
  type: string,
): Promise<string | null> {
  if (allowed_actions.includes('entity:update')) return null;
  const [grants, collection] = await Promise.all([
    answered(api.GET('/node/grants')),
    answered(fetchCollection(entity_id)),
  ]);
  const own = `${type}:update`;
  const action = grants.actions.includes(own) ? own : 'entity:update';
  const given = rolesOf(collection)[resolution.role ?? ''] ?? [];
  return sourceOf(action, given, allowsOf(grants)) === undefined ? action : null;
}

/** @throws Failure where something is wanting in a collection; one that is not here is no hindrance */
async function requireIn(
  collection: string,
  wanting: (permissions: Permissions) => Promise<string | null>,
): Promise<void> {
  try {
    const action = await wanting(await permissionsIn(collection));
    if (action !== null) throw new Failure('forbidden', `Action not allowed: ${action}`, 403);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    if (error.kind === 'gone') throw new Failure('invalid', `the collection ${collection} is deleted`, 400);
    if (error.kind !== 'missing') throw error;
  }
}
