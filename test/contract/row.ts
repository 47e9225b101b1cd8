import type { Person } from '../helpers/callers.ts';
import type { Entity } from '../helpers/entities.ts';
import type { Answer, TestNode } from '../helpers/node.ts';

/** What every case starts from: one node, people, and a collection of `owner` with its roles given out. */
export interface Scene {
  node: TestNode;
  clock: { ms: number };
  owner: Person;
  editor: Person;
  viewer: Person;
  stranger: Person;
  operator: Person;
  service: Person;
  anonymous: Person;
  /** A JWT of nobody registered. */
  unregistered: Person;
  /** A collection of `owner`, in which `editor` and `viewer` have those roles. */
  collection: Entity;
  /** An id on main that nothing has. */
  newId: () => string;
}

/** A request that a case makes. */
export interface Call {
  path: string;
  body?: unknown;
  /** The scene's owner if omitted. */
  as?: Person;
  headers?: Record<string, string>;
  /** What is known only after the scene is set, for `answer`. */
  known?: unknown;
}

/** One answer of a route, provoked. */
export interface Case {
  name: string;
  status: number;
  call: (scene: Scene) => Promise<Call> | Call;
  /** The exact body of an error; for a success what it must match. Given the call that was made. */
  body?: object | ((call: Call, scene: Scene) => object);
  /** Further checks. */
  also?: (answer: Answer, call: Call, scene: Scene) => Promise<void> | void;
}

/** One route as interface.md and wire-contract.md 1.6 have it. */
export interface Row {
  /** `METHOD /path`, as the OpenAPI document spells it. */
  route: string;
  auth: 'none' | 'optional' | 'required' | 'jwt-only' | 'secret';
  action: string | null;
  /** The statuses of wire-contract.md 1.6 (500 and 503 are faults, not provoked here). */
  wire: string;
  /** The first is a success that an anonymous or unregistered caller is tried on, too. */
  cases: [Case, ...Case[]];
}

/** Whose answer gives the body that is expected. */
export function expected(of: Case, call: Call, scene: Scene): object | undefined {
  return typeof of.body === 'function' ? of.body(call, scene) : of.body;
}
