import type { Person } from '../../helpers/callers.ts';
import { ask } from '../../helpers/callers.ts';
import { type Entity, invalid, lacking, notFound, nowhere, ok, onTest, remove } from '../../helpers/entities.ts';
import type { Case, Row, Scene } from '../row.ts';
import { bad, denied, gone, noId, otherNetwork, type Path, placed, stale, unknown } from './common.ts';

/** One of the three kinds of processors: where it is registered, by which body. */
export interface Kind {
  path: string;
  type: 'agent' | 'klados' | 'rhiza';
  body: (collection: string, more?: object) => object;
}

export const one =
  ({ path }: Kind, below = ''): Path =>
  (id) =>
    `${path}/${id}${below}`;

/** A registered processor of the scene's owner. */
export async function made({ path, body }: Kind, s: Scene, more?: object, who: Person = s.owner): Promise<Entity> {
  return ok(await ask(s.node, who, `POST ${path}`, body(s.collection.id, more)));
}

export const notThat = ({ type }: Kind, path: Path, body?: object): Case => ({
  name: `an entity that is no ${type}`,
  status: 404,
  call: async (s) => ({ path: path((await placed(s)).id), body }),
  body: notFound,
});

/** A body of the kind with other members, and what is wrong with it. */
export const wrong = (
  { path, body }: Kind,
  name: string,
  more: object,
  ...issue: [(string | number)[], string]
): Case => ({
  name,
  status: 400,
  call: (s) => ({ path, body: body(s.collection.id, more) }),
  body: invalid(...issue),
});

/** The creation of a kind; `properties` is what its body makes. */
export function creation(kind: Kind, properties: object, further: Case[]): Row {
  const { path, type, body } = kind;
  return {
    route: `POST ${path}`,
    auth: 'required',
    action: `${type}:create`,
    wire: '201 400 401 403 404',
    cases: [
      {
        name: 'registers, in development',
        status: 201,
        call: (s) => ({ path, body: body(s.collection.id, { description: 'd', properties: { shelf: 3 }, note: 'n' }) }),
        body: (_call, s) => ({
          type,
          ver: 1,
          properties: { ...properties, description: 'd', shelf: 3, status: 'development' },
          relationships: [{ predicate: 'collection', peer: s.collection.id, peer_type: 'collection' }],
          edited_by: { user_id: s.owner.id, method: 'manual' },
        }),
      },
      {
        name: 'answers an exact replay with what it made',
        status: 200,
        call: async (s) => {
          const id = s.newId();
          return { path, body: body(s.collection.id, { id }), known: await made(kind, s, { id }) };
        },
        body: ({ known }) => known as object,
      },
      {
        name: 'an id that exists',
        status: 400,
        call: (s) => ({ path, body: body(s.collection.id, { id: s.collection.id }) }),
        body: (_call, s) => invalid(['id'], `there is an entity ${s.collection.id} already`),
      },
      wrong(kind, 'an id of the other network', { id: onTest }, ['id'], 'is not an id of the main network'),
      wrong(kind, 'no label', { label: undefined }, ['label'], 'is required'),
      wrong(kind, 'a long label', { label: 'x'.repeat(201) }, ['label'], 'must have at most 200 characters'),
      wrong(kind, 'no collection', { collection: undefined }, ['collection'], 'is required'),
      {
        name: 'a collection of the other network',
        status: 400,
        call: () => ({ path, body: body(onTest) }),
        body: invalid(['collection'], 'is not an id of the main network'),
      },
      {
        name: 'an unknown collection',
        status: 404,
        call: () => ({ path, body: body(nowhere) }),
        body: lacking('There is no such collection'),
      },
      {
        name: 'a collection that is none',
        status: 404,
        call: async (s) => ({ path, body: body((await placed(s)).id) }),
        body: lacking('There is no such collection'),
      },
      {
        name: `somebody without ${type}:create`,
        status: 403,
        call: (s) => ({ path, body: body(s.collection.id), as: s.viewer }),
        body: { error: `Action not allowed: ${type}:create` },
      },
      ...further,
    ],
  };
}

/** The reading of a kind. */
export function reading(kind: Kind): Row {
  const at = one(kind);
  return {
    route: `GET ${kind.path}/{id}`,
    auth: 'optional',
    action: `${kind.type}:view`,
    wire: '200 403 404',
    cases: [
      {
        name: 'reads',
        status: 200,
        call: async (s) => {
          const known = await made(kind, s);
          return { path: at(known.id), known };
        },
        body: ({ known }) => known as object,
      },
      noId(at),
      otherNetwork(at),
      unknown(at),
      notThat(kind, at),
      {
        ...gone(at),
        call: async (s) => {
          const grave = await remove(s.node, s.owner, await made(kind, s));
          return { path: at(grave.id), known: grave };
        },
      },
    ],
  };
}

/** The change of a kind; `change` gives `properties`. */
export function updating(kind: Kind, change: object, properties: object, further: Case[]): Row {
  const at = one(kind);
  const { path, type } = kind;
  const own = (s: Scene) => made(kind, s);
  return {
    route: `PUT ${path}/{id}`,
    auth: 'required',
    action: `${type}:update`,
    wire: '200 400 401 403 404 409',
    cases: [
      {
        name: 'updates',
        status: 200,
        call: async (s) => {
          const known = await own(s);
          const body = { expect_tip: known.cid, label: 'new', properties: { shelf: 4 }, ...change };
          return { path: at(known.id), body, known };
        },
        body: ({ known }) => ({
          ver: 2,
          prev_cid: (known as Entity).cid,
          properties: { label: 'new', shelf: 4, ...properties },
        }),
      },
      changed(kind, 'disables', { status: 'disabled' }, { status: 'disabled' }),
      refusedChange(kind, 'an unknown status', { status: 'asleep' }, [['status'], statusMessage]),
      refusedChange(kind, 'a label removed', { properties_remove: ['label'] }, [
        ['label'],
        'is required and cannot be removed',
      ]),
      bad('no expect_tip', at(nowhere), { label: 'l' }, [['expect_tip'], 'is required']),
      bad('an empty label', at(nowhere), { expect_tip: 'x', label: '' }, [['label'], 'must have at least 1 character']),
      noId(at, { expect_tip: 'x' }),
      otherNetwork(at, { expect_tip: 'x' }),
      unknown(at, { expect_tip: 'x' }),
      notThat(kind, at, { expect_tip: 'x' }),
      denied(`${type}:update`, at, () => ({ label: 'l' }), undefined, own),
      stale(at, { label: 'l' }, own),
      {
        name: 'a deleted one',
        status: 400,
        call: async (s) => {
          const grave = await remove(s.node, s.owner, await own(s));
          return { path: at(grave.id), body: { expect_tip: grave.cid, label: 'l' } };
        },
        body: invalid(['id'], 'the entity is deleted'),
      },
      ...further,
    ],
  };
}

const statusMessage = 'must be "development", or must be "active", or must be "disabled"';

/** A change that is made, and gives these properties. */
export const changed = (kind: Kind, name: string, change: object, properties: object): Case => ({
  name,
  status: 200,
  call: async (s) => {
    const { id, cid } = await made(kind, s);
    return { path: one(kind)(id), body: { expect_tip: cid, ...change } };
  },
  body: { properties },
});

/** A change that the present version does not allow. */
export const refusedChange = (
  kind: Kind,
  name: string,
  change: object,
  issue: [(string | number)[], string],
): Case => ({
  name,
  status: 400,
  call: async (s) => {
    const { id, cid } = await made(kind, s);
    return { path: one(kind)(id), body: { expect_tip: cid, ...change } };
  },
  body: invalid(...issue),
});
