import { expect } from 'vitest';
import { ask } from '../../helpers/callers.ts';
import {
  conflict,
  type Entity,
  invalid,
  lacking,
  notFound,
  nowhere,
  ok,
  onTest,
  read,
  remove,
} from '../../helpers/entities.ts';
import { peers } from '../../helpers/folders.ts';
import type { Call, Case, Row, Scene } from '../row.ts';
import { idMessage, placed } from './common.ts';
import { fresh, notAFolder } from './folders.ts';

/** The folder of the path, and the entity that the request puts into it or it into. */
interface Two {
  folder: Entity;
  partner: Entity;
}

/** How an endpoint names the partner, and what it gets. */
interface Shape {
  path: (of: { folder: { id: string }; partner: { id: string } }) => string;
  body: (of: Two) => object;
  /** The member of the request that names the partner; null where the path does. */
  member: string | null;
  precondition: string;
  make: (s: Scene) => Promise<Two>;
}

/** Another id that nothing has. */
const other = `${nowhere.slice(0, -1)}1`;

const file = (s: Scene, body: object = {}) => placed(s, { type: 'file', properties: { label: 'f' }, ...body });
const withChild = async (s: Scene): Promise<Two> => ({ folder: await fresh(s), partner: await file(s) });
const withParent = async (s: Scene): Promise<Two> => ({ folder: await fresh(s), partner: await fresh(s) });

async function linkedTwo(s: Scene, of: Two, predicate: 'contains' | 'in'): Promise<Two> {
  const [member, precondition, path] =
    predicate === 'contains'
      ? ['child_id', 'expect_child_tip', 'children']
      : ['parent_id', 'expect_parent_tip', 'parents'];
  const body = { expect_tip: of.folder.cid, [member]: of.partner.id, [precondition]: of.partner.cid };
  const { folder } = ok<Two>(await ask(s.node, s.owner, `POST /folders/${of.folder.id}/${path}`, body));
  return { folder, partner: await read(s.node, s.owner, of.partner.id) };
}

const addChild: Shape = {
  path: ({ folder }) => `/folders/${folder.id}/children`,
  body: ({ folder, partner }) => ({ expect_tip: folder.cid, child_id: partner.id, expect_child_tip: partner.cid }),
  member: 'child_id',
  precondition: 'expect_child_tip',
  make: withChild,
};
const removeChild: Shape = {
  path: ({ folder, partner }) => `/folders/${folder.id}/children/${partner.id}`,
  body: ({ folder, partner }) => ({ expect_tip: folder.cid, expect_child_tip: partner.cid }),
  member: null,
  precondition: 'expect_child_tip',
  make: async (s) => linkedTwo(s, await withChild(s), 'contains'),
};
const addParent: Shape = {
  path: ({ folder }) => `/folders/${folder.id}/parents`,
  body: ({ folder, partner }) => ({ expect_tip: folder.cid, parent_id: partner.id, expect_parent_tip: partner.cid }),
  member: 'parent_id',
  precondition: 'expect_parent_tip',
  make: withParent,
};
const removeParent: Shape = {
  path: ({ folder, partner }) => `/folders/${folder.id}/parents/${partner.id}`,
  body: ({ folder, partner }) => ({ expect_tip: folder.cid, expect_parent_tip: partner.cid }),
  member: null,
  precondition: 'expect_parent_tip',
  make: async (s) => linkedTwo(s, await withParent(s), 'in'),
};

/** A call about a fresh pair; `change` alters its body. */
const about =
  (shape: Shape, change: (of: Two) => object = () => ({}), as: (s: Scene) => Partial<Call> = () => ({})) =>
  async (s: Scene): Promise<Call> => {
    const of = await shape.make(s);
    return { path: shape.path(of), body: { ...shape.body(of), ...change(of) }, known: of, ...as(s) };
  };

/** Ids in paths and bodies that name nothing. */
const elsewhere = (shape: Shape, id: string) => async (s: Scene) => {
  const of = await shape.make(s);
  const there = shape.member === null ? { ...of, partner: { id } } : of;
  const named = shape.member === null ? {} : { [shape.member]: id };
  return { path: shape.path(there), body: { ...shape.body(of), ...named } };
};

const inPath = (shape: Shape) => shape.member ?? (shape.precondition === 'expect_child_tip' ? 'childId' : 'parentId');

function refusals(shape: Shape): Case[] {
  const body = { expect_tip: 'x', [shape.precondition]: 'x', ...(shape.member && { [shape.member]: other }) };
  return [
    {
      name: 'no tip',
      status: 400,
      call: about(shape, () => ({ expect_tip: undefined })),
      body: invalid(['expect_tip'], 'is required'),
    },
    {
      name: 'a partner that is no id',
      status: 400,
      call: elsewhere(shape, 'x'),
      body: invalid([inPath(shape)], idMessage),
    },
    {
      name: 'a partner on the other network',
      status: 400,
      call: elsewhere(shape, onTest),
      body: invalid([inPath(shape)], 'is not an id of the main network'),
    },
    {
      name: 'an unknown folder',
      status: 404,
      call: () => ({ path: shape.path({ folder: { id: nowhere }, partner: { id: other } }), body }),
      body: notFound,
    },
    { name: 'an unknown partner', status: 404, call: elsewhere(shape, nowhere), body: notFound },
    notAFolder((id) => shape.path({ folder: { id }, partner: { id: other } }), body),
    {
      name: 'somebody without folder:update',
      status: 403,
      call: about(
        shape,
        () => ({}),
        (s) => ({ as: s.viewer }),
      ),
      body: { error: 'Action not allowed: folder:update' },
    },
    {
      name: 'a stale folder',
      status: 409,
      call: about(shape, () => ({ expect_tip: 'stale' })),
      body: ({ known }) => conflict('stale', (known as Two).folder.cid),
    },
    {
      name: 'a stale partner',
      status: 409,
      call: about(shape, () => ({ [shape.precondition]: 'stale' })),
      body: ({ known }) => conflict('stale', (known as Two).partner.cid),
    },
  ];
}

const noGuard = (shape: Shape): Case => ({
  name: 'no tip of a partner in a collection',
  status: 400,
  call: about(shape, () => ({ [shape.precondition]: undefined })),
  body: ({ known }) =>
    invalid(
      [shape.precondition],
      shape.member === null
        ? 'is required'
        : `is required where ${(known as Two).partner.id} is a collection or lies in one`,
    ),
});

const noPair = (shape: Shape, make: Shape['make'], which: string): Case => ({
  name: 'no such pair',
  status: 404,
  call: about({ ...shape, make }),
  body: lacking(`The folder has no such ${which}`),
});

const bulk = (id: string) => `/folders/${id}/children/bulk`;
interface Many {
  folder: Entity;
  children: Entity[];
}
const many = async (s: Scene): Promise<Many> => ({ folder: await fresh(s), children: [await file(s), await fresh(s)] });
const aboutMany =
  (change: (of: Many, s: Scene) => object = () => ({}), as: (s: Scene) => Partial<Call> = () => ({})) =>
  async (s: Scene): Promise<Call> => {
    const of = await many(s);
    const body = { expect_tip: of.folder.cid, children: of.children.map(({ id, type }) => ({ id, type })) };
    return { path: bulk(of.folder.id), body: { ...body, ...change(of, s) }, known: of, ...as(s) };
  };

export const folderTreeRows: Row[] = [
  {
    route: 'POST /folders/{id}/children',
    auth: 'required',
    action: 'folder:update',
    wire: '200 400 401 403 404 409',
    cases: [
      {
        name: 'puts a file into a folder',
        status: 200,
        call: about(addChild),
        body: ({ known }) => ({ folder: { ver: 2, type: 'folder' }, child: { id: (known as Two).partner.id } }),
        also: async ({ body }, { known }, s) => {
          const { folder, child } = body as { folder: Entity; child: { cid: string } };
          const { partner } = known as Two;
          expect(folder.relationships.at(-1)).toEqual({
            ...{ predicate: 'contains', peer: partner.id, peer_type: 'file', peer_label: 'f' },
          });
          const after = await read(s.node, s.owner, partner.id);
          expect(after).toMatchObject({ cid: child.cid, prev_cid: partner.cid });
          expect(peers(after, 'in')).toEqual([folder.id]);
        },
      },
      {
        name: 'answers a pair that is there with the current state',
        status: 200,
        call: async (s) => {
          const of = await withChild(s);
          const now = await linkedTwo(s, of, 'contains');
          return { path: addChild.path(of), body: addChild.body(of), known: now };
        },
        body: ({ known }) => {
          const { folder, partner } = known as Two;
          return { folder, child: { id: partner.id, cid: partner.cid } };
        },
      },
      {
        name: 'a document',
        status: 400,
        call: async (s) => {
          const of = { folder: await fresh(s), partner: await placed(s) };
          return { path: addChild.path(of), body: addChild.body(of), known: of };
        },
        body: ({ known }) =>
          invalid(
            ['child_id'],
            `must be a file or a folder, and ${(known as Two).partner.id} has the type \`document\``,
          ),
      },
      {
        name: 'the folder itself',
        status: 400,
        call: about(addChild, ({ folder }) => ({ child_id: folder.id })),
        body: ({ known }) => invalid(['child_id'], `the folder ${(known as Two).folder.id} would contain itself`),
      },
      noGuard(addChild),
      ...refusals(addChild),
    ],
  },
  {
    route: 'DELETE /folders/{id}/children/{childId}',
    auth: 'required',
    action: 'folder:update',
    wire: '200 400 401 403 404 409',
    cases: [
      {
        name: 'takes a file out of a folder',
        status: 200,
        call: about(removeChild),
        also: async ({ body }, { known }, s) => {
          const { folder, child } = body as { folder: Entity; child: { id: string; cid: string } };
          expect([folder.ver, peers(folder, 'contains')]).toEqual([3, []]);
          const after = await read(s.node, s.owner, (known as Two).partner.id);
          expect([after.cid, peers(after, 'in')]).toEqual([child.cid, []]);
        },
      },
      noPair(removeChild, withChild, 'child'),
      noGuard(removeChild),
      ...refusals(removeChild),
    ],
  },
  {
    route: 'POST /folders/{id}/children/bulk',
    auth: 'required',
    action: 'folder:update',
    wire: '200 400 401 403 404 409',
    cases: [
      {
        name: 'puts several into a folder',
        status: 200,
        call: aboutMany(),
        also: async ({ body }, { known }, s) => {
          const { folder, added, skipped } = body as { folder: Entity; added: Entity[]; skipped: string[] };
          const { children } = known as Many;
          expect([folder.ver, skipped]).toEqual([2, []]);
          expect(peers(folder, 'contains')).toEqual(children.map(({ id }) => id));
          const now = await Promise.all(children.map(({ id }) => read(s.node, s.owner, id)));
          expect(added).toEqual(now.map(({ id, cid }) => ({ id, cid })));
          expect(now.map((child) => peers(child, 'in'))).toEqual(children.map(() => [folder.id]));
        },
      },
      {
        name: 'no children',
        status: 400,
        call: aboutMany(() => ({ children: [] })),
        body: invalid(['children'], 'must have at least 1 item'),
      },
      {
        name: '51 children',
        status: 400,
        call: aboutMany(() => ({ children: Array.from({ length: 51 }, () => ({ id: nowhere })) })),
        body: invalid(['children'], 'must have at most 50 items'),
      },
      {
        name: 'a child that is not there',
        status: 400,
        call: aboutMany(({ children }) => ({ children: [...children, { id: nowhere }].map(({ id }) => ({ id })) })),
        body: invalid(['children', 2, 'id'], `there is no entity ${nowhere}`),
      },
      {
        name: 'a deleted folder',
        status: 400,
        call: async (s) => {
          const { folder, children } = await many(s);
          const grave = await remove(s.node, s.owner, folder);
          return {
            path: bulk(folder.id),
            body: { expect_tip: grave.cid, children: children.map(({ id }) => ({ id })) },
          };
        },
        body: invalid(['id'], 'the entity is deleted'),
      },
      {
        name: 'somebody without folder:update',
        status: 403,
        call: aboutMany(
          () => ({}),
          (s) => ({ as: s.viewer }),
        ),
        body: { error: 'Action not allowed: folder:update' },
      },
      {
        name: 'an unknown folder',
        status: 404,
        call: () => ({
          path: bulk(nowhere),
          body: { expect_tip: 'x', children: [{ id: other }] },
        }),
        body: notFound,
      },
      notAFolder(bulk, { expect_tip: 'x', children: [{ id: other }] }),
      {
        name: 'a stale folder',
        status: 409,
        call: aboutMany(() => ({ expect_tip: 'stale' })),
        body: ({ known }) => conflict('stale', (known as Many).folder.cid),
      },
    ],
  },
  {
    route: 'POST /folders/{id}/parents',
    auth: 'required',
    action: 'folder:update',
    wire: '200 400 401 403 404 409',
    cases: [
      {
        name: 'puts a folder into a folder',
        status: 200,
        call: about(addParent),
        also: ({ body }, { known }) => {
          const { folder, parent } = body as { folder: Entity; parent: Entity };
          const { partner } = known as Two;
          expect([peers(folder, 'in'), peers(parent, 'contains')]).toEqual([[partner.id], [folder.id]]);
          expect(parent).toMatchObject({ id: partner.id, ver: 2, prev_cid: partner.cid });
        },
      },
      {
        name: 'a parent that is a file',
        status: 400,
        call: async (s) => {
          const of = { folder: await fresh(s), partner: await file(s) };
          return { path: addParent.path(of), body: addParent.body(of), known: of };
        },
        body: ({ known }) =>
          invalid(
            ['parent_id'],
            `must be a folder or a collection, and ${(known as Two).partner.id} has the type \`file\``,
          ),
      },
      noGuard(addParent),
      ...refusals(addParent),
    ],
  },
  {
    route: 'DELETE /folders/{id}/parents/{parentId}',
    auth: 'required',
    action: 'folder:update',
    wire: '200 400 401 403 404 409',
    cases: [
      {
        name: 'takes a folder out of a folder',
        status: 200,
        call: about(removeParent),
        also: ({ body }) => {
          const { folder, parent } = body as { folder: Entity; parent: Entity };
          expect([peers(folder, 'in'), peers(parent, 'contains')]).toEqual([[], []]);
          expect([folder.ver, parent.ver]).toEqual([3, 3]);
        },
      },
      noPair(removeParent, withParent, 'parent'),
      noGuard(removeParent),
      ...refusals(removeParent),
    ],
  },
];
