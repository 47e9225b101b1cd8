import type { Reader } from '../../store/connection.ts';
import { findStanding } from '../../store/entities.ts';
import type { SubAgentWarningView } from './wire.ts';

/** What stands against using them (wire-contract.md, N6). */
export function subAgentWarnings(db: Reader, ids: string[]): SubAgentWarningView[] {
  return ids.flatMap((sub_agent_id): SubAgentWarningView[] => {
    const found = findStanding(db, sub_agent_id);
    if (!found || found.deleted)
      return [{ sub_agent_id, reason: 'not_found', message: `There is no agent ${sub_agent_id} on this node.` }];
    if (found.type !== 'agent')
      return [{ sub_agent_id, reason: 'not_an_agent', message: `${sub_agent_id} is a ${found.type}, not an agent.` }];
    if (found.manifest.properties.status === 'disabled')
      return [{ sub_agent_id, reason: 'disabled', message: `The agent ${sub_agent_id} is disabled.` }];
    return [];
  });
}
