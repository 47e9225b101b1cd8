import { isMap, type Json, type JsonMap, member, same } from '../../entity/model/json.ts';
import { type JsonFault, jsonFault } from '../../entity/model/json-fault.ts';

/** A field of an input, as its JSON Schema describes it. `json`: what has no field of its own is written as JSON. */
export interface InputField {
  name: string;
  title: string;
  about: string | null;
  kind: 'text' | 'number' | 'boolean' | 'choice' | 'json';
  required: boolean;
  choices: Json[];
  fallback: Json | undefined;
}

const mostFields = 60;

/** The fields of an input; null where the schema is none of an object with known members, so that only JSON is left. */
export function fieldsOf(schema: Json | undefined): InputField[] | null {
  if (!isMap(schema)) return null;
  const properties = member(schema, 'properties');
  if (!isMap(properties)) return null;
  const wanted = member(schema, 'required');
  const required = new Set(Array.isArray(wanted) ? wanted : []);
  const fields = Object.entries(properties).map(([name, one]) => fieldOf(name, one, required.has(name)));
  return fields.length === 0 || fields.length > mostFields ? null : fields;
}

function fieldOf(name: string, schema: Json, required: boolean): InputField {
  const map = isMap(schema) ? schema : {};
  const text = (key: string) => {
    const value = member(map, key);
    return typeof value === 'string' && value !== '' ? value.slice(0, 500) : null;
  };
  const listed = member(map, 'enum');
  const choices = Array.isArray(listed) ? listed.slice(0, 200) : [];
  return {
    name,
    title: text('title') ?? name,
    about: text('description'),
    kind: choices.length > 0 ? 'choice' : kindOf(member(map, 'type')),
    required,
    choices,
    fallback: member(map, 'default'),
  };
}

function kindOf(type: Json | undefined): InputField['kind'] {
  if (type === 'string') return 'text';
  if (type === 'number' || type === 'integer') return 'number';
  return type === 'boolean' ? 'boolean' : 'json';
}

/** An input with another value for a field; undefined takes the field away, so that the default counts. */
export function withField(input: JsonMap, name: string, value: Json | undefined): JsonMap {
  const members = new Map(Object.entries(input));
  if (value === undefined) members.delete(name);
  else members.set(name, value);
  return Object.fromEntries(members);
}

/** The fields that show all of an input: also what has no field, or does not fit into its field, and so is JSON. */
export function fieldsOfInput(fields: readonly InputField[], input: JsonMap): InputField[] {
  const named = fields.map((field) => {
    const value = member(input, field.name);
    return value === undefined || fits(field, value) ? field : { ...field, kind: 'json' as const };
  });
  const others = Object.keys(input).filter((name) => !fields.some((field) => field.name === name));
  return [...named, ...others.map((name) => ({ ...fieldOf(name, {}, false), kind: 'json' as const }))];
}

function fits({ kind, choices }: InputField, value: Json): boolean {
  if (kind === 'choice') return choices.some((one) => same(one, value));
  if (kind === 'text') return typeof value === 'string' && value !== '' && !value.includes('\r');
  return kind === 'json' || typeof value === kind;
}

/** What is wrong with the JSON text of an input; null if nothing is. */
export function inputFault(text: string): JsonFault | null {
  return text.trim() === '' ? null : jsonFault(text);
}

/** The input that JSON text is; null where something is wrong with it. */
export function inputOf(text: string): JsonMap | null {
  if (text.trim() === '') return {};
  return jsonFault(text) ? null : (JSON.parse(text) as JsonMap);
}
