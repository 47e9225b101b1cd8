import type { Person } from '../../helpers/callers.ts';
import { conflict, create, type Entity, invalid, notFound, nowhere, onTest, remove } from '../../helpers/entities.ts';
import type { Call, Case, Scene } from '../row.ts';

export const idMessage = 'must be an id: 26 digits and capital letters, as 01ARZ3NDEKTSV4RRFFQ69G5FAV';

/** The CID of a block that no node has: its digest is all zeros. */
export const unknownCid = `bafyrei${'a'.repeat(52)}`;

/** A new entity of the owner in the scene's collection. */
export function placed(s: Scene, body: object = {}): Promise<Entity> {
  return create(s.node, s.owner, { collection: s.collection.id, ...body });
}

/** A path below the entity that `known` is. */
export type Path = (id: string) => string;

/** The id in the path is no id. */
export function noId(path: Path, body?: unknown): Case {
  return {
    name: 'an id that is none',
    status: 400,
    call: () => ({ path: path('nobody'), body }),
    body: invalid(['id'], idMessage),
  };
}

/** The id in the path is of the other network (decisions.md, G13). */
export function otherNetwork(path: Path, body?: unknown): Case {
  return {
    name: 'an id of the other network',
    status: 400,
    call: () => ({ path: path(onTest), body }),
    body: invalid(['id'], 'is not an id of the main network'),
  };
}

export function unknown(path: Path, body?: unknown): Case {
  return { name: 'an unknown id', status: 404, call: () => ({ path: path(nowhere), body }), body: notFound };
}

/** What a read of the deleted entity that `known` is answers (decisions.md, G1). */
export function goneBody({ known }: Call): object {
  const { cid, ver, deleted_at } = known as { cid: string; ver: number; deleted_at: string };
  return { ...notFound, details: { deleted: true, tip: cid, ver, deleted_at } };
}

/** A read of a deleted entity (decisions.md, G1). */
export function gone(path: Path): Case {
  return {
    name: 'a deleted entity',
    status: 404,
    call: async (s) => {
      const grave = await remove(s.node, s.owner, await placed(s));
      return { path: path(grave.id), known: grave };
    },
    body: goneBody,
  };
}

/** A write with a tip that is not the present one; `body` is the rest of what it sends. */
export function stale(path: Path, body: object = {}, base: (s: Scene) => Promise<Entity> = placed): Case {
  return {
    name: 'a stale tip',
    status: 409,
    call: async (s) => {
      const entity = await base(s);
      return { path: path(entity.id), body: { expect_tip: 'stale', ...body }, known: entity.cid };
    },
    body: ({ known }) => conflict('stale', known as string),
  };
}

/** A write by somebody whose role does not give the action. */
export function denied(
  action: string,
  path: Path,
  body: (s: Scene) => object = () => ({}),
  who: (s: Scene) => Person = (s) => s.viewer,
  base: (s: Scene) => Promise<Entity> = placed,
): Case {
  return {
    name: `somebody without ${action}`,
    status: 403,
    call: async (s) => {
      const entity = await base(s);
      return { path: path(entity.id), body: { expect_tip: entity.cid, ...body(s) }, as: who(s) };
    },
    body: { error: `Action not allowed: ${action}` },
  };
}

/** A member of the body is missing or wrong. */
export function bad(name: string, path: string, body: unknown, issue: [(string | number)[], string]): Case {
  return { name, status: 400, call: () => ({ path, body }), body: invalid(...issue) };
}
