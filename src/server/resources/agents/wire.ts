import type { ChangeBody, RegisterBody } from '../processors/wire.ts';
import type { EntityId, JsonMap, ManifestView, UpdatedView } from '../wire.ts';

/** A sub-agent that cannot be used; the agent is kept as it is. */
export interface SubAgentWarningView {
  sub_agent_id: EntityId;
  reason: 'not_found' | 'not_an_agent' | 'disabled';
  message: string;
}

/** An agent's current version. Its properties are the members of the body that made it, `status` and, once its endpoint is verified, `endpoint_verified_at`. */
export interface AgentView extends ManifestView {
  /** Of the agents that it uses. */
  warnings: SubAgentWarningView[];
}

export interface AgentUpdatedView extends UpdatedView {
  /** Of the agents that it uses. */
  warnings: SubAgentWarningView[];
}

/** An agent that this one calls. */
export interface SubAgentBody {
  /** Either this or `id`; both may name the same. */
  pi?: EntityId;
  id?: EntityId;
  /** @maxLength 200 */
  label?: string;
  /** @maxLength 2000 */
  description?: string;
}

export interface CreateAgentBody extends RegisterBody {
  /**
   * The base address of the service; jobs are posted to `/process` below it.
   * @minLength 1
   * @maxLength 2048
   * @format uri
   * @example "https://describer.example"
   */
  endpoint: string;
  /**
   * What it must be allowed to do in the collections that it works on; no wildcards.
   * @minItems 1
   * @example ["entity:view", "entity:update"]
   */
  actions_required: string[];
  /**
   * The agents that it calls, which get their grants with it.
   * @maxItems 100
   */
  uses_agents?: SubAgentBody[];
  /** A JSON Schema (draft 6, 7, 2019-09 or 2020-12) that the `input` of an invocation must meet. */
  input_schema?: JsonMap;
  /** A JSON Schema that describes its results, of any draft; nothing is checked by it. */
  output_schema?: JsonMap;
}

export interface UpdateAgentBody extends ChangeBody {
  /**
   * Another one takes the verification away, and `status` returns to `development`, where `disabled` is not sent beside it.
   * @minLength 1
   * @maxLength 2048
   * @format uri
   */
  endpoint?: string;
  /** @minItems 1 */
  actions_required?: string[];
  /** @maxItems 100 */
  uses_agents?: SubAgentBody[];
  input_schema?: JsonMap;
  output_schema?: JsonMap;
}
