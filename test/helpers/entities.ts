import type { ManifestView } from '../../src/server/resources/wire.ts';
import { ask, type Person } from './callers.ts';
import type { Answer, TestNode } from './node.ts';

export type Entity = ManifestView & { note?: string };

/** What a successful answer holds; anything else fails the test with the whole answer. */
export function ok<T = Entity>(answer: Answer): T {
  if (answer.status >= 300) throw new Error(`answered ${answer.status}: ${answer.text}`);
  return answer.body as T;
}

export async function create(node: TestNode, who: Person, body: object = {}): Promise<Entity> {
  return ok(await ask(node, who, 'POST /entities', { type: 'document', ...body }));
}

export async function collection(node: TestNode, who: Person, body: object = {}): Promise<Entity> {
  return ok(await ask(node, who, 'POST /collections', { label: 'a collection', ...body }));
}

/** Gives somebody a role; `expires_in` in seconds. */
export async function enrol(node: TestNode, owner: Person, id: string, who: Person, role: string, expires_in?: number) {
  return ok(await ask(node, owner, `POST /collections/${id}/members`, { user_id: who.id, role, expires_in }));
}

/** An update of the entity as it was given. */
export async function update(node: TestNode, who: Person, entity: Entity, body: object): Promise<Entity> {
  return ok(await ask(node, who, `PUT /entities/${entity.id}`, { expect_tip: entity.cid, ...body }));
}

export interface Deleted {
  id: string;
  cid: string;
  deleted_at: string;
  ver: number;
  prev_cid: string;
}

export async function remove(node: TestNode, who: Person, entity: Entity, body: object = {}): Promise<Deleted> {
  return ok<Deleted>(await ask(node, who, `DELETE /entities/${entity.id}`, { expect_tip: entity.cid, ...body }));
}

export async function read(node: TestNode, who: Person, id: string): Promise<Entity> {
  return ok(await ask(node, who, `GET /entities/${id}`));
}

/** The 400 with one issue. */
export function invalid(path: (string | number)[], message: unknown) {
  return { error: 'Validation failed', details: { issues: [{ path, message }] } };
}

/** The 404 of what is in or of an entity, not the entity itself. */
export function lacking(reason: unknown, more?: object) {
  return { error: 'Entity not found', details: { reason, ...more } };
}

/** The 409 of a compare-and-swap. */
export function conflict(expected: string, actual: string) {
  return { error: 'Conflict: entity was modified', details: { expected, actual }, status: 409 };
}

export const unauthorized = { error: 'Unauthorized: Missing or invalid authentication token' };
export const notFound = { error: 'Entity not found' };
/** Ids that are nowhere. */
export const nowhere = '01J00000000000000000000000';
export const onTest = 'II000000000000000000000000';
