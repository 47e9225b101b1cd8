import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ask, impostor, type Person } from '../helpers/callers.ts';
import { collection, create, nowhere, ok, onTest, read, remove } from '../helpers/entities.ts';
import type { Answer } from '../helpers/node.ts';
import { misfits, operations } from './document.ts';
import { prototypes } from './hostile.ts';
import { type Shot, shots, type Targets } from './requests.ts';
import type { Scene } from './row.ts';
import { openScene } from './scene.ts';

/** `FUZZ_SEED=...` repeats a run, `FUZZ_SHOTS=...` makes it longer. */
const seed = Number(process.env.FUZZ_SEED ?? 20260101);
const count = Number(process.env.FUZZ_SHOTS ?? 3000);
const atOnce = 8;

let scene: Scene & AsyncDisposable;
let fired: { shot: Shot; answer: Answer }[];
/** The members of the prototypes before. */
const before = prototypes();

/** Entities of several kinds, among them deleted ones, and ids that are nowhere; what else a request may name. */
async function targets({ node, owner, operator, stranger, viewer, collection: shared }: Scene): Promise<Targets> {
  const entities: string[] = [];
  for (const type of ['document', 'folder', 'file']) {
    const { id } = await create(node, owner, { type, collection: shared.id, properties: { label: type } });
    const linked = { relationships: [{ predicate: 'has', peer: id }], properties: { label: type } };
    entities.push(id, (await create(node, owner, { type, collection: shared.id, ...linked })).id);
  }
  const loose = await create(node, stranger);
  const grave = await remove(node, owner, await create(node, owner, { collection: shared.id }));
  entities.push(loose.id, grave.id);
  const collections = [shared.id, (await collection(node, owner)).id, (await collection(node, operator)).id];
  const users = [owner.id, operator.id, viewer.id];
  return { entities, collections, users, odd: [nowhere, onTest], cids: [loose.cid, grave.cid, grave.prev_cid] };
}

async function fire(shot: Shot): Promise<Answer> {
  const people: Record<Shot['who'], Person> = {
    anonymous: scene.anonymous,
    user: scene.owner,
    operator: scene.operator,
    service: scene.service,
    impostor,
  };
  let { body } = shot;
  for (const [mark, id] of body?.matchAll(/@tip:([0-9A-Z]{26})/g) ?? []) {
    const tip = await ask(scene.node, scene.anonymous, `GET /entities/${id}/tip`);
    body = body?.replaceAll(mark, (tip.body as { cid?: string }).cid ?? 'none');
  }
  // Node's client sends none of its own with a GET, and the body would be taken for another request.
  const length: Record<string, string> =
    body === undefined ? {} : { 'Content-Length': String(Buffer.byteLength(body)) };
  const headers = { ...people[shot.who].headers, ...shot.headers, ...length };
  const endless = shot.route === 'GET /node/events/stream';
  try {
    return await scene.node.fetch(shot.path, {
      ...{ method: shot.method, headers, endless },
      ...(body === undefined ? {} : { body }),
    });
  } catch (error) {
    return { status: 0, headers: {}, text: String(error), body: undefined };
  }
}

beforeAll(async () => {
  scene = await openScene();
  const all = fc.sample(shots(await targets(scene)), { seed, numRuns: count });
  fired = [];
  for (let i = 0; i < all.length; i += atOnce) {
    const volley = all.slice(i, i + atOnce);
    const answers = await Promise.all(volley.map(fire));
    fired.push(...volley.map((shot, n) => ({ shot, answer: answers[n] as Answer })));
  }
}, 300_000);
afterAll(() => scene[Symbol.asyncDispose]());

/** The requests whose answers are wrong, as a person needs them to try again. */
function wrong(finds: (shot: Shot, answer: Answer) => unknown): string[] {
  return fired.flatMap(({ shot, answer }, i) => {
    const found = finds(shot, answer);
    const { who, method, path, headers, body } = shot;
    const sent = JSON.stringify({ who, method, path, headers, body: body?.slice(0, 600) });
    return found
      ? [`seed ${seed}, request ${i}: ${sent}\n answered ${answer.status} ${answer.text.slice(0, 600)}`]
      : [];
  });
}

/** Whether a refusal's body is what interface.md, Errors, describes. */
function isErrorBody({ status, body, headers }: Answer): boolean {
  if (typeof body !== 'object' || body === null || !/^application\/json/.test(headers['content-type'] ?? ''))
    return false;
  const { error, details, status: repeated, ...rest } = body as Record<string, unknown>;
  if (typeof error !== 'string' || error === '' || Object.keys(rest).length > 0) return false;
  if (repeated !== undefined && (status !== 409 || repeated !== 409)) return false;
  if (status === 400) return error === 'Validation failed' && areIssues(details);
  return details === undefined || (typeof details === 'object' && details !== null);
}

/** interface.md, Errors: how a refusal begins, by its status. */
const words: Record<number, RegExp> = {
  401: /^Unauthorized: Missing or invalid authentication token$/,
  403: /^(?:Forbidden: |Action not allowed|Only users can |User is not registered)/,
  404: /^Entity not found$/,
  409: /^(?:Conflict: entity was modified$|There is an invite )/,
};

/** The node's own endpoints, and paths without one, have words of their own. */
function isSaid({ route, method }: Shot, { status, body }: Answer): boolean {
  const own = route.includes(' /node/') || method !== route.split(' ')[0];
  return own || (words[status]?.test((body as { error: string }).error) ?? true);
}

/** The tool server refuses a message in the words of its own protocol. */
function isProtocolError({ route }: Shot, { status, body }: Answer): boolean {
  const { jsonrpc, error } = (body ?? {}) as { jsonrpc?: unknown; error?: { code?: unknown; message?: unknown } };
  const said = Number.isInteger(error?.code) && typeof error?.message === 'string';
  return route === 'POST /mcp' && status === 400 && jsonrpc === '2.0' && said;
}

/** What the document says that a node may be without. */
function isMissingPart({ route, method }: Shot, { status, body }: Answer): boolean {
  const { details } = (body ?? {}) as { details?: { service?: string } };
  const documented = operations.get(route)?.responses['503'] !== undefined;
  // The answer to HEAD has no body that could say so.
  return status === 503 && documented && (method === 'HEAD' || details?.service === 'search');
}

function areIssues(details: unknown): boolean {
  const { issues } = (details ?? {}) as { issues?: { path?: unknown; message?: unknown }[] };
  const fits = ({ path, message }: { path?: unknown; message?: unknown }) =>
    typeof message === 'string' &&
    Array.isArray(path) &&
    path.every((part) => typeof part === 'string' || Number.isInteger(part));
  return Array.isArray(issues) && issues.length > 0 && issues.every(fits);
}

describe(`${count} generated requests (seed ${seed})`, () => {
  it('reach every endpoint, with success and with refusals', () => {
    expect(new Set(fired.map(({ shot }) => shot.route))).toEqual(new Set(operations.keys()));
    const answered = new Set(fired.map(({ answer }) => answer.status));
    expect([200, 201, 400, 401, 403, 404, 409].filter((status) => !answered.has(status))).toEqual([]);
    const done = fired.filter(({ shot, answer }) => shot.method !== 'GET' && answer.status < 300);
    expect(done.length).toBeGreaterThan(count / 25);
  });

  it('are never answered with a fault of the server', () => {
    expect(
      wrong((shot, answer) => answer.status < 200 || (answer.status >= 500 && !isMissingPart(shot, answer))),
    ).toEqual([]);
  });

  it('are refused in the documented words', () => {
    const refused = (shot: Shot, answer: Answer) =>
      answer.status >= 400 &&
      shot.method !== 'HEAD' &&
      !(isErrorBody(answer) && isSaid(shot, answer)) &&
      !isProtocolError(shot, answer);
    expect(wrong(refused)).toEqual([]);
  });

  it('are answered in the documented shapes', () => {
    const misfit = ({ route, method }: Shot, { status, body }: Answer) =>
      status < 300 && method === route.split(' ')[0] && (misfits(route, status, body)?.length ?? 1) > 0;
    expect(wrong(misfit)).toEqual([]);
  });

  it('let nobody in without credentials, and below /node nobody but the operator', () => {
    const strangers = ({ route, who }: Shot) =>
      ['anonymous', 'impostor', ...(route.includes(' /node/') ? ['user'] : [])].includes(who);
    const closed = ({ route, headers }: Shot) =>
      (operations.get(route)?.security ?? []).length > 0 && headers['X-Alpha-Secret'] === undefined;
    const entered = (shot: Shot, { status }: Answer) =>
      status < 300 && shot.method === shot.route.split(' ')[0] && closed(shot) && strangers(shot);
    expect(wrong(entered)).toEqual([]);
  });

  it('leave the prototypes as they were, and the node at work', async () => {
    expect(prototypes()).toEqual(before);
    expect(ok<{ status: string }>(await ask(scene.node, scene.anonymous, 'GET /health'))).toMatchObject({
      status: 'ok',
    });
    const { id, cid } = await create(scene.node, scene.stranger, { properties: { after: true } });
    expect(await read(scene.node, scene.stranger, id)).toMatchObject({ cid, properties: { after: true } });
  });
});
