import { answered, api } from '../../api/client.ts';
import type { components } from '../../api/schema.d.ts';
import type { JsonMap } from '../entity/model/json.ts';
import type { Kind } from '../processors/processors-address.ts';

type Schemas = components['schemas'];

/** What is to be started. */
export interface Order {
  kind: Kind;
  processor: string;
  /** Of a klados that takes one entity a job, so that several are a batch. */
  single: boolean;
  targets: string[];
  collection: string;
  input: JsonMap;
  seconds: number;
}

/** The permissions that one processor would get. */
export interface GrantLine {
  id: string;
  label: string;
  actions: string[];
  role: string;
  already: boolean;
}

/** What would happen. */
export interface Preview {
  grants: GrantLine[];
  expires: string;
  /** How many jobs begin at once. */
  jobs: number;
  /** Nobody can give what he does not hold himself. */
  allowed: boolean;
  /** Processors that cannot work, with why. */
  issues: { id: string; reason: string }[];
}

export type Outcome = { started: string } | { rejected: string; retryAfter: number | null };

/** What starting it would do; nothing has happened then. */
export async function previewOf(order: Order): Promise<Preview> {
  const answer = await send(order, false);
  if (answer.status !== 'pending_confirmation') throw new Error('The node answered no preview.');
  // The kinds differ in some members; the others have none of them.
  const { can_proceed, all_ready, invocation_count, klados_issues, warnings } = answer as Particulars;
  const named = answer.grants as (AgentGrant | KladosGrant)[];
  return {
    grants: named.map((grant) => ({
      ...('agent' in grant ? (grant as AgentGrant).agent : grant.klados),
      actions: grant.actions,
      role: grant.role,
      already: grant.already_granted,
    })),
    expires: answer.expires_at,
    jobs: invocation_count ?? 1,
    allowed: can_proceed !== false && all_ready !== false,
    issues: klados_issues ?? (warnings ?? []).map(({ sub_agent_id, reason }) => ({ id: sub_agent_id, reason })),
  };
}

type AgentGrant = Schemas['AgentGrantView'];
type KladosGrant = Schemas['RhizaGrantView'];
type Particulars = Partial<
  Pick<Schemas['AgentPreviewView'], 'can_proceed' | 'warnings'> &
    Pick<Schemas['RhizaPreviewView'], 'all_ready' | 'klados_issues'> &
    Pick<Schemas['KladosBatchPreviewView'], 'invocation_count'>
>;

/** Starts it. */
export async function start(order: Order): Promise<Outcome> {
  const answer = await send(order, true);
  if (answer.status === 'rejected') return { rejected: answer.error, retryAfter: answer.retry_after ?? null };
  if (answer.status === 'dispatching') return { started: answer.dispatch_id };
  if (answer.status === 'started') return { started: answer.job_id };
  throw new Error('The node did not start it.');
}

type Answer =
  | Schemas['AgentPreviewView']
  | Schemas['AgentInvokedView']
  | Schemas['KladosPreviewView']
  | Schemas['KladosBatchPreviewView']
  | Schemas['KladosInvokedView']
  | Schemas['KladosDispatchView']
  | Schemas['RhizaPreviewView']
  | Schemas['RhizaInvokedView'];

function send(
  { kind, processor, single, targets, collection, input, seconds }: Order,
  confirm: boolean,
): Promise<Answer> {
  const params = { path: { id: processor } };
  const common = { ...(Object.keys(input).length > 0 ? { input } : {}), expires_in: seconds, confirm };
  if (kind === 'agent')
    return answered<Answer>(api.POST('/agents/{id}/invoke', { params, body: { ...common, target: collection } }));
  const place = { ...common, target_collection: collection };
  if (kind === 'klados' && single && targets.length > 1) {
    const invocations = targets.map((target_entity) => ({ target_entity }));
    return answered<Answer>(api.POST('/kladoi/{id}/invoke/batch', { params, body: { ...place, invocations } }));
  }
  const [first] = targets;
  const what = targets.length === 1 && first ? { target_entity: first } : { target_entities: targets };
  const body = { ...place, ...(targets.length > 0 ? what : {}) };
  return kind === 'klados'
    ? answered<Answer>(api.POST('/kladoi/{id}/invoke', { params, body }))
    : answered<Answer>(api.POST('/rhizai/{id}/invoke', { params, body }));
}
