import { ask, type Person } from './callers.ts';
import { create, type Entity, ok } from './entities.ts';
import type { TestNode } from './node.ts';

export interface FoundHit {
  id: string;
  label: string;
  type?: string;
  score: number;
  collection_id?: string | null;
  status?: string;
  entity_preview?: Record<string, unknown>;
  entity?: Entity;
}

export interface FoundHits {
  results: FoundHit[];
  metadata: Record<string, unknown>;
}

/** A search at an endpoint, as `entities` or `similar/items`. */
export async function search(node: TestNode, who: Person, endpoint: string, body: object): Promise<FoundHits> {
  return ok<FoundHits>(await ask(node, who, `POST ${endpoint.includes('/me/') ? '' : '/search/'}${endpoint}`, body));
}

/** An entity that searches find when this resolves. */
export function indexed(node: TestNode, who: Person, label: string, body: object = {}): Promise<Entity> {
  return create(node, who, { properties: { label }, sync_index: true, ...body });
}

/** Waits until the index has taken up everything, also what it does in the background. */
export async function indexIdle(node: TestNode, network: 'main' | 'test' = 'main'): Promise<void> {
  const store = await node.ctx.networks.get(network);
  const idle = await node.ctx.search.engine.follow(store, node.ctx.log).idle(30_000);
  if (!idle) throw new Error('the index is not idle');
}

export const labels = ({ results }: FoundHits): string[] => results.map(({ label }) => label);
