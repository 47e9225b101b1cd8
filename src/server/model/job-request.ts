import type { Network } from './ids.ts';
import type { Json, JsonObject } from './manifest.ts';

/** Where in a workflow a job stands; processors hand it on, with members that the node does not know. */
export interface RhizaContext {
  id: string;
  /** Step names from the entry to the current step. */
  path: string[];
  /** Ids of log entities; any text. */
  parent_logs: string[];
  batch?: { id: string; index: number; total: number };
  [more: string]: Json | undefined;
}

/** What a processor is sent to begin a job. A klados has the targets and `target_collection`, an agent `target`. */
export interface JobRequest {
  job_id: string;
  /** An agent's target collection. */
  target?: string;
  target_entity?: string;
  target_entities?: string[];
  target_collection?: string;
  job_collection: string;
  input?: JsonObject;
  /** The base of calls back, and of the signing key. */
  api_base: string;
  /** When its grants end, ISO 8601. */
  expires_at: string;
  network: Network;
  rhiza?: RhizaContext;
}

/** The collection on which the processor of a request has its grant. */
export function targetOf(request: Pick<JobRequest, 'target' | 'target_collection'>): string {
  return request.target ?? request.target_collection ?? '';
}
