import { subAgentsOf } from '../../model/sub-agents.ts';
import type { Reader } from '../../store/connection.ts';
import { findProcessor, type ProcessorFacts } from './processors.ts';

/** A sub-agent that is left out of an invocation (processors.md 4.4). */
export interface SubAgentWarning {
  sub_agent_id: string;
  parent_agent_id: string;
  reason: 'not_found' | 'disabled';
  message: string;
}

/** More agents than this are left out. */
const maxAgents = 200;

/** All agents that an agent uses, and those that these use. */
export function subAgents(
  db: Reader,
  agent: ProcessorFacts,
): { agents: ProcessorFacts[]; warnings: SubAgentWarning[] } {
  const seen = new Set([agent.id]);
  const agents: ProcessorFacts[] = [];
  const warnings: SubAgentWarning[] = [];
  const left = [agent];
  for (let parent = left.shift(); parent; parent = left.shift()) {
    for (const id of subAgentsOf(parent.standing.manifest.properties)) {
      if (seen.has(id) || seen.size > maxAgents) continue;
      seen.add(id);
      const facts = findProcessor(db, id, 'agent');
      if (facts && facts.status !== 'disabled') {
        agents.push(facts);
        left.push(facts);
        continue;
      }
      const [reason, message] = facts
        ? (['disabled', `${facts.label || id} is disabled: it gets no permissions`] as const)
        : (['not_found', `there is no agent ${id}: it gets no permissions`] as const);
      warnings.push({ sub_agent_id: id, parent_agent_id: parent.id, reason, message });
    }
  }
  return { agents, warnings };
}
