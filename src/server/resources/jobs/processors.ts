import { NotFoundError, ValidationError } from '../../errors.ts';
import type { Grantee } from '../../model/grants.ts';
import type { Json, JsonObject } from '../../model/manifest.ts';
import { isObject } from '../../model/objects.ts';
import type { Reader } from '../../store/connection.ts';
import { findStanding, type Standing } from '../../store/entities.ts';
import { inMirror } from '../processors/in-mirror.ts';

/** What an invocation needs to know of an agent or klados. It is read leniently: mirrored ones may say anything. */
export interface ProcessorFacts extends Grantee {
  standing: Standing;
  endpoint: string;
  status: string;
  /** Of a klados; undefined where it does not say. */
  cardinality: 'one' | 'many' | undefined;
  inputSchema: JsonObject | undefined;
}

function factsOf(standing: Standing): ProcessorFacts {
  const { properties } = standing.manifest;
  const own = (name: string): Json | undefined => (Object.hasOwn(properties, name) ? properties[name] : undefined);
  const required = own('actions_required');
  const accepts = own('accepts');
  const cardinality = isObject(accepts) ? accepts.cardinality : undefined;
  const schema = own('input_schema');
  return {
    standing,
    id: standing.id,
    type: standing.type === 'agent' ? 'agent' : 'klados',
    label: standing.label,
    actions: Array.isArray(required) ? required.filter((action) => typeof action === 'string') : [],
    endpoint: String(own('endpoint') ?? ''),
    status: String(own('status') ?? 'development'),
    cardinality: cardinality === 'one' || cardinality === 'many' ? cardinality : undefined,
    inputSchema: isObject(schema) ? schema : undefined,
  };
}

/** An agent or klados that may be there; undefined also for a deleted one and one of another type. */
export function findProcessor(db: Reader, id: string, type: 'agent' | 'klados'): ProcessorFacts | undefined {
  const standing = findStanding(db, id);
  return standing?.type === type && !standing.deleted ? factsOf(standing) : undefined;
}

/** The processor that an endpoint names. @throws NotFoundError for another type */
export function processorOf(standing: Standing, type: 'agent' | 'klados'): ProcessorFacts {
  if (standing.type !== type) throw new NotFoundError();
  return factsOf(standing);
}

/** Whether this node has verified that endpoint of the processor itself, or needs not to. */
export type IsVerified = (id: string, endpoint: string) => boolean;

/** @throws ValidationError that names the status of one that cannot be invoked (processors.md 1.4) */
export function requireActive(
  db: Reader,
  { id, status, type, label, endpoint, standing }: ProcessorFacts,
  isVerified: IsVerified,
): void {
  const path = type === 'agent' ? 'agents' : 'kladoi';
  const isKnown = isVerified(id, endpoint);
  if (status === 'active' && isKnown) return;
  const reason = isKnown ? null : inMirror(db, standing);
  if (reason !== null) throw ValidationError.at(['id'], `${label || 'the processor'} ${reason}`);
  if (status === 'active')
    throw ValidationError.at(
      ['id'],
      `${label || 'the processor'} came here from elsewhere: verify its endpoint on this node first (POST /${path}/{id}/verify)`,
    );
  const way =
    status === 'disabled'
      ? `set its status to active first (PUT /${path}/{id})`
      : `verify its endpoint (POST /${path}/{id}/verify) and set its status to active first`;
  throw ValidationError.at(['id'], `${label || 'the processor'} is in status ${status}: ${way}`);
}

/** Why a klados of a workflow cannot work (interface.md, `klados_issues`); null where it can. */
export function unreadiness(facts: ProcessorFacts | undefined, isVerified: IsVerified): string | null {
  if (!facts) return 'not_found';
  if (facts.status !== 'active') return `not_active: its status is ${facts.status}`;
  return isVerified(facts.id, facts.endpoint) ? null : 'not_verified: its endpoint was not verified on this node';
}
