import type {
  GrantedHeadView,
  InvocationBody,
  NamedView,
  PreviewHeadView,
  PreviewVerdictView,
  RejectionView,
} from '../jobs/wire.ts';
import type { EntityId, JsonMap } from '../wire.ts';

export interface InvokeAgentBody extends InvocationBody {
  /** The collection to work in: the agent gets its permissions there. */
  target: EntityId;
  /** The collection for the logs, within which the job gets one of its own; a new one if omitted. */
  job_collection?: EntityId;
}

/** What an agent needs in the target collection. */
export interface AgentGrantView {
  agent: NamedView;
  actions: string[];
  role: string;
  already_granted: boolean;
  expired?: boolean;
  /** It holds some of it. */
  missing_actions?: boolean;
  current_expires_at?: string;
}

export interface AgentGrantedView {
  agent_id: EntityId;
  role: string;
  expires_at: string;
  was_update: boolean;
}

/** A sub-agent that gets no permissions. */
export interface InvocationWarningView {
  sub_agent_id: EntityId;
  parent_agent_id: EntityId;
  reason: 'not_found' | 'disabled';
  message: string;
}

export interface AgentPreviewView extends PreviewHeadView, PreviewVerdictView {
  /** Of the agent and of all agents that it uses. */
  grants: AgentGrantView[];
  warnings?: InvocationWarningView[];
}

interface AgentGrantedHead extends GrantedHeadView {
  grants: AgentGrantedView[];
}

/** The agent has taken the job, or nobody can tell whether it has. */
export interface AgentStartedView extends AgentGrantedHead {
  status: 'started';
  job_id: string;
  job_collection: EntityId;
}

export interface AgentRejectedView extends RejectionView, AgentGrantedHead {}

export type AgentInvokedView = AgentStartedView | AgentRejectedView;

/** What an agent says of its job; agents may say more. */
export interface AgentStatusView {
  job_id: string;
  status: 'pending' | 'running' | 'done' | 'error';
  progress: AgentProgressView;
  started_at: string;
  completed_at?: string;
  updated_at?: string;
  result?: JsonMap;
  error?: AgentErrorView;
  [more: string]: unknown;
}

export interface AgentProgressView {
  /** @isInt */
  total: number;
  /** @isInt */
  pending: number;
  /** @isInt */
  dispatched?: number;
  /** @isInt */
  done: number;
  /** @isInt */
  error: number;
}

export interface AgentErrorView {
  /** @example "TIMEOUT" */
  code: string;
  message: string;
}
