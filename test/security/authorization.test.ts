import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { allowed, isOpenToAll, type Placement } from '../../src/server/model/permissions.ts';
import { findEntity } from '../../src/server/store/entities.ts';
import { rows } from '../contract/all-rows.ts';
import { operations } from '../contract/document.ts';
import type { Call, Row, Scene } from '../contract/row.ts';
import { openScene } from '../contract/scene.ts';
import { ask, type Person } from '../helpers/callers.ts';
import type { Answer } from '../helpers/node.ts';
import { actorOf, type Cast, castOf } from './callers.ts';
import { plainRequest } from './plain-request.ts';

// Broken object and function level authorization. Every route of the contract, with the request that its owner would
// succeed with, sent by everybody else; what the answer has to be is worked out from the row (who may call, which action)
// and the permission model, for the entity that the request names. Nothing of it is written by hand but the list of
// what belongs to persons rather than to collections.

let scene: Scene & AsyncDisposable;
let cast: Cast;
beforeAll(async () => {
  scene = await openScene();
  cast = await castOf(scene);
});
afterAll(() => scene[Symbol.asyncDispose]());

const isEntity = (text: unknown): text is string => typeof text === 'string' && /^[0-9A-HJKMNP-TV-Z]{26}$/.test(text);

interface Named extends Record<string, unknown> {
  entities?: { collection?: string }[];
  updates?: { entity_id?: string }[];
}

/** What a request is about: the entity of its path, or the one that its body changes, or where it makes one. */
function subjectOf({ path, body }: Call): string | undefined {
  const inPath = path.split(/[/?]/).find(isEntity);
  const { source_id, target_collection, collection, collection_id, id, default_collection, entities, updates } =
    (body ?? {}) as Named;
  const many = default_collection ?? entities?.[0]?.collection ?? updates?.[0]?.entity_id;
  return inPath ?? [source_id, id, target_collection, collection, collection_id, many].find(isEntity);
}

/** Endpoints about the caller, whoever it is. */
const isOwn = ({ route }: Row): boolean => /\/users\/(?:me|my)(?:\/|$)/.test(route);
/** What belongs to a person, whatever the permissions of others. */
const isPersonal = ({ route }: Row): boolean =>
  /\/chat\/sessions\/\{|\/keys\/\{/.test(route) && /^\w+ \/(?:chat|users)/.test(route);
/** Here a run takes up again what was granted to it, and nobody grants what they do not hold: in these scenes, in open collections. */
const grantsAgain = ({ route }: Row): boolean => /\/(?:reinvoke|resume)$/.test(route);

async function mayCall(row: Row, call: Call, who: Person): Promise<boolean> {
  const { action } = row;
  if (action === null) return true;
  const actor = await actorOf(scene, who);
  if (isPersonal(row)) return who === (call.as ?? scene.owner);
  if (grantsAgain(row) && who !== scene.service && who !== scene.operator) return false;
  // interface.md, Users: a processor is none.
  if (row.route === 'GET /users/me' && actor.kind === 'processor') return false;
  const now = scene.clock.ms;
  if (isOwn(row) && actor.kind !== 'anonymous')
    return allowed(actor, action, { method: 'self', user_id: actor.id }, now);
  const { permissions, networks } = scene.node.ctx;
  const store = await networks.get('main');
  const subject = subjectOf(call);
  const placement: Placement | null = store.read((db) => {
    const row = subject === undefined ? undefined : findEntity(db, subject);
    return row ? permissions.placement(db, row) : null;
  });
  // Several, or one by its CID: whoever may see the one may see the others.
  if (placement === null && action.startsWith('entity:') && isOpenToAll(action)) return true;
  return allowed(actor, action, placement, now);
}

type Class = 'done' | 'unknown caller' | 'forbidden' | 'not there' | 'malformed' | 'other';

function classOf(status: number): Class {
  if (status < 400) return 'done';
  return ({ 400: 'malformed', 401: 'unknown caller', 403: 'forbidden', 404: 'not there' } as const)[status] ?? 'other';
}

/** Of many things at once, where none of them was done. */
function classOfAll({ status, body }: Answer): Class {
  const { results, failed, summary } = (body ?? {}) as { results?: Item[]; failed?: Item[]; summary?: Summary };
  const all = [...(results ?? []), ...(failed ?? [])];
  const done = summary?.succeeded ?? summary?.queued;
  if (done !== 0) return classOf(status);
  return all.every(({ code }) => code === 'FORBIDDEN') ? 'forbidden' : 'malformed';
}

interface Item {
  code?: string;
}
interface Summary {
  succeeded?: number;
  queued?: number;
}

/** What a request may be sent as again: nothing has come of it so far. */
const untouched = new Map<Row, Call>();

async function answered(row: Row, who: Person): Promise<{ call: Call; class: Class; text: string }> {
  const call = untouched.get(row) ?? (await row.cases[0].call(scene));
  const [method = ''] = row.route.split(' ');
  const answer = await ask(scene.node, who, `${method} ${call.path}`, call.body, call.headers);
  const got = classOfAll(answer);
  if (got === 'done' && method !== 'GET') untouched.delete(row);
  else untouched.set(row, call);
  return { call, class: got, text: `${answer.status} ${answer.text.slice(0, 300)}` };
}

/** What every node answers whatever the credentials. */
const isOpen = ({ route }: Row): boolean =>
  /^GET \/(?:health|openapi\.json|ops-reference|\.well-known\/.*)$/.test(route);

describe.each(rows.filter(({ auth }) => auth !== 'secret' && auth !== 'jwt-only'))('$route', (row) => {
  it('answers those whose credentials do not hold 401, and does nothing', async () => {
    for (const [name, who] of Object.entries(cast.invalid)) {
      const { class: got, text } = await answered(row, who);
      expect([name, got], text).toEqual([name, isOpen(row) ? 'done' : 'unknown caller']);
    }
  });

  it('knows nobody, and those who are not registered, as it says', async () => {
    const nobody = await answered(row, cast.nobody);
    const open = row.auth !== 'required' && (await mayCall(row, nobody.call, cast.nobody));
    const refused = row.auth === 'required' ? 'unknown caller' : 'forbidden';
    expect(nobody.class, nobody.text).toBe(open ? 'done' : refused);
    const unregistered = await answered(row, cast.unregistered);
    expect(unregistered.class, unregistered.text).toBe(row.auth === 'none' ? 'done' : 'forbidden');
  });

  it('lets those through whom the permission model lets through, and no others', async () => {
    for (const [name, who] of Object.entries(cast.valid)) {
      const { call, class: got, text } = await answered(row, who);
      const refusals: Class[] = isPersonal(row) ? ['forbidden', 'not there'] : ['forbidden'];
      expect((await mayCall(row, call, who)) ? ['done'] : refusals, `${name}: ${text}`).toContain(got);
    }
  });

  it('finds nothing of this network on the other', async () => {
    const { call, class: got, text } = await answered(row, cast.elsewhere);
    if (subjectOf(call) !== undefined) expect(['malformed', 'not there'], text).toContain(got);
  });
});

/** What other nodes send; it is decided version by version (test/sync/push-blocks.test.ts). */
const ofPeers = ['POST /node/sync/push'];
const ofTheNode = [...operations].filter(
  ([route, { security }]) => route.includes(' /node/') && security?.length && !ofPeers.includes(route),
);

describe.each(ofTheNode.map(([route]) => route))('%s', (route) => {
  it('is for the operator alone', async () => {
    const { line, body } = plainRequest(route, scene);
    const others = Object.entries({
      nobody: cast.nobody,
      unregistered: cast.unregistered,
      ...cast.invalid,
      ...cast.valid,
    });
    for (const [name, who] of others.filter(([name]) => name !== 'the operator')) {
      const answer = await ask(scene.node, who, line, body);
      const known = name in cast.valid || name === 'unregistered';
      expect([name, classOf(answer.status)], answer.text).toEqual([name, known ? 'forbidden' : 'unknown caller']);
    }
  });
});

it('has gone through every route of the document, but for those that other tests are about', () => {
  const tried = new Set([...rows.map(({ route }) => route), ...ofTheNode.map(([route]) => route)]);
  const others = [...operations.keys()].filter((route) => !tried.has(route));
  // Open to everyone by what they are: conformance.test.ts has the list.
  expect(others.filter((route) => !route.includes(' /node/'))).toEqual([]);
  for (const route of others.filter((one) => !ofPeers.includes(one)))
    expect(operations.get(route)?.security ?? []).toEqual([]);
});
