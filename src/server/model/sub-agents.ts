import { isEntityId } from './ids.ts';
import type { Json, JsonObject } from './manifest.ts';

/** What an item of `uses_agents` names its agent by: `pi`, else `id` (processors.md 4.4); it may be anything. */
export function subAgentIn(item: Json | undefined): Json | undefined {
  if (typeof item !== 'object' || item === null || Array.isArray(item)) return undefined;
  return item.pi ?? item.id;
}

/** The ids that an agent's `uses_agents` names, whoever wrote it; each once. */
export function subAgentsOf(properties: JsonObject): string[] {
  const list = Object.hasOwn(properties, 'uses_agents') ? properties.uses_agents : undefined;
  if (!Array.isArray(list)) return [];
  const ids = list.map(subAgentIn).filter((id) => typeof id === 'string' && isEntityId(id));
  return [...new Set(ids as string[])];
}
