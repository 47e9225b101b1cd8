import type { Issue, IssuePath } from '../errors.ts';
import { commandOf, endpointFault } from './endpoints.ts';
import { checkFlow } from './flow-check.ts';
import { invalid, type Refusal, type Rule, type Step } from './guard-step.ts';
import { isEntityId, networkOf } from './ids.ts';
import { schemaIssues } from './input-schema.ts';
import type { Json, Manifest } from './manifest.ts';
import { equalJson } from './properties.ts';
import { subAgentIn } from './sub-agents.ts';
import { isLonger } from './text-length.ts';

type ProcessorType = 'agent' | 'klados' | 'rhiza';
/** What is wrong with a value that stands at `path`. */
type Check = (value: Json, path: IssuePath) => Issue[];

const text =
  (least: number, most: number): Check =>
  (value, path) =>
    typeof value === 'string' && value.length >= least && !isLonger(value, most)
      ? []
      : [{ path, message: `must be a text of ${least === 0 ? 'at most' : `${least} to`} ${most} characters` }];

const endpoint =
  (type: 'agent' | 'klados'): Check =>
  (value, path) => {
    const fault = endpointFault(value, type);
    return fault === null ? [] : [{ path, message: `INVALID_ENDPOINT: ${fault}` }];
  };

/** What an agent says of its output is for those who read it: nothing is checked by it. */
const object: Check = (value, path) =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? [] : [{ path, message: 'must be an object' }];

const port =
  (code: string): Check =>
  (value, path) => {
    const { types, cardinality } = members(value);
    return [
      ...(Array.isArray(types) && types.length > 0 && types.every((type) => typeof type === 'string' && type !== '')
        ? []
        : [{ path: [...path, 'types'], message: `${code}: must be a list of types; ["*"] for any` }]),
      ...(cardinality === 'one' || cardinality === 'many'
        ? []
        : [{ path: [...path, 'cardinality'], message: 'INVALID_CARDINALITY: must be `one` or `many`' }]),
    ];
  };

const maxSubAgents = 100;

const subAgents: Check = (value, path) => {
  if (!Array.isArray(value) || value.length > maxSubAgents)
    return [{ path, message: `must be a list of at most ${maxSubAgents} agents` }];
  return value.flatMap((one, i) => {
    const named = subAgentIn(one);
    const { id, label = '', description = '' } = members(one);
    return [
      ...(typeof named === 'string' && isEntityId(named)
        ? []
        : [{ path: [...path, i, 'pi'], message: 'must be an entity id' }]),
      ...((id ?? named) === named ? [] : [{ path: [...path, i, 'id'], message: 'names another agent than `pi`' }]),
      ...text(0, 200)(label, [...path, i, 'label']),
      ...text(0, 2000)(description, [...path, i, 'description']),
    ];
  });
};

const checks: Record<ProcessorType, { [member: string]: Check }> = {
  agent: {
    label: text(1, 200),
    description: text(0, 2000),
    endpoint: endpoint('agent'),
    uses_agents: subAgents,
    input_schema: schemaIssues,
    output_schema: object,
  },
  klados: {
    label: text(1, 200),
    description: text(0, 2000),
    endpoint: endpoint('klados'),
    accepts: port('EMPTY_ACCEPTS_TYPES'),
    produces: port('EMPTY_PRODUCES_TYPES'),
    input_schema: schemaIssues,
  },
  rhiza: { label: text(1, 200), description: text(0, 2000), version: text(1, 50), entry: text(1, 100) },
};

/** What must be there before it can be active, and then stays. */
const needed: Record<ProcessorType, readonly string[]> = {
  agent: ['label', 'endpoint', 'actions_required'],
  klados: ['label', 'endpoint', 'actions_required', 'accepts', 'produces'],
  rhiza: ['label', 'version', 'entry', 'flow'],
};

function members(value: Json): { [name: string]: Json } {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {};
}

function property(manifest: Manifest | null, name: string): Json | undefined {
  return manifest && Object.hasOwn(manifest.properties, name) ? manifest.properties[name] : undefined;
}

const changed = ({ before, next }: Step, name: string): boolean =>
  !equalJson(property(before, name), property(next, name));

const told = ({ path, message }: Issue): Refusal => invalid(path, message);

/** Only what a step changes is checked, so that a processor from elsewhere with an odd profile stays editable. */
export const validProfile: Rule = (step) => {
  const { next } = step;
  return Object.entries(checks[next.type as ProcessorType]).flatMap(([name, check]) => {
    const value = property(next, name);
    return value === undefined || !changed(step, name) ? [] : check(value, [name]).map(told);
  });
};

/** What is needed does not go again; of a rhiza the flow may, to be written anew (processors.md 3.1). */
export const complete: Rule = (step) => {
  const { before, next } = step;
  const isActive = property(next, 'status') === 'active';
  const becomesActive = isActive && property(before, 'status') !== 'active';
  return needed[next.type as ProcessorType].flatMap((name) => {
    if (property(next, name) !== undefined) return [];
    if (becomesActive) return [invalid([name], 'is required before it can be `active`')];
    const mayGo = next.type === 'rhiza' && name === 'flow';
    return property(before, name) === undefined || mayGo ? [] : [invalid([name], 'is required and cannot be removed')];
  });
};

/**
 * processors.md 3.7: nothing is checked where neither entry nor flow changes, else the whole is. Earlier programs took a workflow that
 * names itself, and what another node has must come to be here: it is not started.
 */
export const validFlow: Rule = (step) => {
  if (!changed(step, 'flow') && !changed(step, 'entry')) return [];
  const flow = property(step.next, 'flow');
  if (flow === undefined) return [];
  const { id } = step.next;
  const known = { network: networkOf(id), ...(step.options.elsewhere !== true && { own: id }) };
  const { errors } = checkFlow(property(step.next, 'entry'), flow, known);
  return errors.map(({ code, path, message }) => invalid(path, `${code}: ${message}`));
};

/** A command of the node is named by the operator alone, by hand: what comes from elsewhere must not run anything. */
export const operatorsCommands: Rule = (step) => {
  const { next, options } = step;
  if (!changed(step, 'endpoint') || commandOf(property(next, 'endpoint')) === null) return [];
  return options.operator === true && options.elsewhere !== true && next.edited_by.method === 'manual'
    ? []
    : [invalid(['endpoint'], '`exec:` is for the operator of this node, who makes such a klados here')];
};
