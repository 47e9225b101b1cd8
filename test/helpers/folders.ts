import { ask, type Person } from './callers.ts';
import { type Entity, ok } from './entities.ts';
import type { TestNode } from './node.ts';

export async function folder(node: TestNode, who: Person, body: object = {}): Promise<Entity> {
  return ok(await ask(node, who, 'POST /folders', { label: 'a folder', ...body }));
}

/** A folder with one child, as they are after the pair was made. */
export interface Pair {
  folder: Entity;
  child: Entity;
}

/** The peers of one predicate. */
export function peers({ relationships }: Entity, predicate: string): string[] {
  return relationships.filter((r) => r.predicate === predicate).map((r) => r.peer);
}
