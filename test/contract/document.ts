import { Ajv, type ValidateFunction } from 'ajv';
import addFormats from 'ajv-formats';
import { openapi } from '../../src/server/generated/openapi.ts';

type Json = { [key: string]: unknown };

export interface Parameter {
  name: string;
  in: 'path' | 'query' | 'header';
  required?: boolean;
  schema: Json;
}

export interface Operation {
  parameters?: Parameter[];
  requestBody?: { content: { 'application/json'?: { schema: Json } } };
  responses: { [status: string]: { headers?: Json; content?: { 'application/json'?: { schema: Json } } } };
  security?: Json[];
}

interface Document {
  paths: { [path: string]: { [method: string]: Operation } };
  components: { schemas: { [name: string]: Json } };
}

export const document = JSON.parse(openapi) as Document;

/** Every operation by `METHOD /path`. */
export const operations = new Map(
  Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]): [string, Operation] => [
      `${method.toUpperCase()} ${path}`,
      operation,
    ]),
  ),
);

/**
 * The document as JSON Schema (`nullable` is OpenAPI's), with every described object closed: an answer with a member
 * that is not described is refused.
 */
function closed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(closed);
  if (typeof value !== 'object' || value === null) return value;
  const { nullable, ...members } = Object.fromEntries(
    Object.entries(value).map(([key, one]) => [key, closed(one)]),
  ) as Json;
  if (nullable === true) return { anyOf: [members, { type: 'null' }] };
  if (nullable !== undefined) return { ...members, nullable };
  const described = members.type === 'object' && typeof members.properties === 'object';
  return described && isOpen(members) ? { ...members, additionalProperties: false } : members;
}

/** tsoa says `true` of every interface; a free object says `{}`. */
function isOpen({ properties, additionalProperties }: Json): boolean {
  const free = Object.keys(properties as Json).length === 0;
  return !free && (additionalProperties === undefined || additionalProperties === true);
}

const ajv = new Ajv({ strict: false, allErrors: true });
// The package's types say default export, the runtime is CommonJS.
const formats = addFormats as unknown as (ajv: Ajv) => void;
formats(ajv);
for (const [name, validate] of [
  ['double', Number.isFinite],
  ['float', Number.isFinite],
] as const)
  ajv.addFormat(name, { type: 'number', validate });
ajv.addSchema(closed(document) as Json, 'api');

const compiled = new Map<string, ValidateFunction>();

/** What is wrong with an answer's body by the document; undefined where the status is not documented. */
export function misfits(route: string, status: number, body: unknown): string[] | undefined {
  const response = operations.get(route)?.responses[String(status)];
  if (!response) return undefined;
  if (!response.content?.['application/json'])
    return body === undefined ? [] : ['there is a JSON body where none is documented'];
  const [method = '', path = ''] = route.split(' ');
  const pointer = [
    'paths',
    path,
    method.toLowerCase(),
    'responses',
    String(status),
    'content',
    'application/json',
    'schema',
  ]
    .map((part) => encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1')))
    .join('/');
  const key = `api#/${pointer}`;
  const validate = compiled.get(key) ?? ajv.compile({ $ref: key });
  compiled.set(key, validate);
  return validate(body)
    ? []
    : (validate.errors ?? []).map((e) => `${e.instancePath} ${e.message} ${JSON.stringify(e.params)}`);
}
