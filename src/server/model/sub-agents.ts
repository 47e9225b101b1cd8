import { isEntityId } from './ids.ts';
import type { Json, JsonObject } from './manifest.ts';

/** What an item of `uses_agents` names its agent by: `pi`, else (also where that is no id) `id` (processors.md 4.4); it may be anything. */
export function subAgentIn(item: Json | undefined): Json | undefined {
  if (typeof item !== 'object' || item === null || Array.isArray(item)) return undefined;
  const { pi, id } = item;
  return isId(pi) || !isId(id) ? (pi ?? id) : id;
}

/** The ids that an agent's `uses_agents` names, whoever wrote it; each once. */
export function subAgentsOf(properties: JsonObject): string[] {
  const list = Object.hasOwn(properties, 'uses_agents') ? properties.uses_agents : undefined;
  if (!Array.isArray(list)) return [];
  return [...new Set(list.map(subAgentIn).filter(isId))];
}

function isId(named: Json | undefined): named is string {
  return typeof named === 'string' && isEntityId(named);
}
