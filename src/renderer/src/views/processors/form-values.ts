import { isMap, type Json, type JsonMap, member, same } from '../entity/model/json.ts';
import { jsonFault } from '../entity/model/json-fault.ts';

export interface Port {
  types: string[];
  cardinality: 'one' | 'many';
}

/** An agent that another one calls, and what it is for. */
export interface SubAgent {
  pi: string;
  label?: string;
  description?: string;
}

/** What the form of an agent or klados holds. Schemas are JSON text, empty for none. */
export interface FormValues {
  label: string;
  description: string;
  endpoint: string;
  actions: string[];
  accepts: Port;
  produces: Port;
  inputSchema: string;
  /** Of agents alone. */
  outputSchema: string;
  usesAgents: SubAgent[];
}

export const emptyForm: FormValues = {
  label: '',
  description: '',
  endpoint: '',
  actions: ['entity:view'],
  accepts: { types: ['*'], cardinality: 'one' },
  produces: { types: ['*'], cardinality: 'many' },
  inputSchema: '',
  outputSchema: '',
  usesAgents: [],
};

/** The form of what a processor says of itself; it may be anything. */
export function formOf(properties: JsonMap): FormValues {
  return {
    label: text(member(properties, 'label')),
    description: text(member(properties, 'description')),
    endpoint: text(member(properties, 'endpoint')),
    actions: texts(member(properties, 'actions_required')),
    accepts: port(member(properties, 'accepts')),
    produces: port(member(properties, 'produces')),
    inputSchema: json(member(properties, 'input_schema')),
    outputSchema: json(member(properties, 'output_schema')),
    usesAgents: subAgents(member(properties, 'uses_agents')),
  };
}

/** What is sent of a form; null where a schema of it cannot be saved as it is typed. */
export function bodyOf(values: FormValues, kind: 'agent' | 'klados'): JsonMap | null {
  const [input, output] = [values.inputSchema, kind === 'agent' ? values.outputSchema : ''].map(schemaOf);
  if (input === null || output === null) return null;
  return {
    label: values.label.trim(),
    ...(values.description.trim() ? { description: values.description } : {}),
    endpoint: values.endpoint.trim().replace(/\/+$/, ''),
    actions_required: values.actions,
    ...(kind === 'klados' ? { accepts: { ...values.accepts }, produces: { ...values.produces } } : {}),
    ...(kind === 'agent' && values.usesAgents.length > 0
      ? { uses_agents: values.usesAgents.map((one) => ({ ...one })) }
      : {}),
    ...(input ? { input_schema: input } : {}),
    ...(output ? { output_schema: output } : {}),
  };
}

/** null: no JSON object, or one of which something would be lost; undefined: none. */
function schemaOf(text: string): JsonMap | null | undefined {
  if (text.trim() === '') return undefined;
  return jsonFault(text) ? null : (JSON.parse(text) as JsonMap);
}

/**
 * What has become another in a form: that alone is sent, so that nothing else is overwritten, and what is to go named in
 * `properties_remove`. null where a schema cannot be saved as it is typed.
 */
export function changesOf(before: FormValues, after: FormValues, kind: 'agent' | 'klados'): JsonMap | null {
  const old = bodyOf(before, kind) ?? {};
  const now = bodyOf(after, kind);
  if (now === null) return null;
  const changed = Object.fromEntries(Object.entries(now).filter(([name, value]) => !same(value, member(old, name))));
  const removed = Object.keys(old).filter((name) => !(name in now));
  return { ...changed, ...(removed.length > 0 ? { properties_remove: removed } : {}) };
}

function json(value: Json | undefined): string {
  return isMap(value) ? JSON.stringify(value, null, 2) : '';
}

function subAgents(value: Json | undefined): SubAgent[] {
  const list = Array.isArray(value) ? value.filter(isMap) : [];
  return list.flatMap((one) => {
    const [label, description] = ['label', 'description'].map((name) => text(member(one, name)));
    // Either member may name it (processors.md 4.4).
    const pi = text(member(one, 'pi') ?? member(one, 'id'));
    return pi ? [{ pi, ...(label ? { label } : {}), ...(description ? { description } : {}) }] : [];
  });
}

function text(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}

function texts(value: Json | undefined): string[] {
  return Array.isArray(value) ? [...new Set(value.filter((one) => typeof one === 'string'))] : [];
}

function port(value: Json | undefined): Port {
  const map = isMap(value) ? value : {};
  return { types: texts(member(map, 'types')), cardinality: member(map, 'cardinality') === 'many' ? 'many' : 'one' };
}
