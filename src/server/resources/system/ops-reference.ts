/** The parts of an OpenAPI document that the digest reads. */
export interface ApiDocument {
  info: { title: string; version: string; description?: string };
  tags?: { name: string; description?: string }[];
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema> };
}

interface Operation {
  tags?: string[];
  summary?: string;
  security?: object[];
  parameters?: { name: string; in: string; required?: boolean; schema: Schema }[];
  requestBody?: { content: Record<string, { schema?: Schema }> };
  responses: Record<string, { content?: Record<string, { schema?: Schema }> }>;
}

interface Schema {
  $ref?: string;
  type?: string;
  format?: string;
  enum?: unknown[];
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: Schema | boolean;
  allOf?: Schema[];
  anyOf?: Schema[];
  minimum?: number;
  maximum?: number;
  default?: unknown;
}

/** The node's own endpoints are for its operator; /openapi.json has them. */
const left = /^\/node(?:\/|$)/;

const legend = [
  'One line an operation: method and path, `[key]` where credentials are needed, and what it does; then its query parameters,',
  'the members of its JSON body, and the status and shape of a success. `*` marks what is required, `=` a default, `a..b`',
  'a range; a member without a type is a text. The full description is /openapi.json.',
].join('\n');

/**
 * A digest of the interface for language models, made from its OpenAPI document (wire-contract.md 2.5): plain text, a
 * line for each operation, and one for each shape that bodies name.
 */
export function opsReference(document: ApiDocument): string {
  const digest = new Digest(document.components.schemas);
  const described = Object.entries(document.paths).flatMap(([path, operations]) =>
    left.test(path)
      ? []
      : Object.entries(operations).map(([method, operation]) => ({
          tag: operation.tags?.[0] ?? '',
          line: digest.operation(`${method.toUpperCase()} ${path}`, operation),
        })),
  );
  const { title, version, description = '' } = document.info;
  const order = (document.tags ?? []).map(({ name }) => name);
  const tags = [...new Set([...order, ...described.map(({ tag }) => tag)])];
  const sections = tags.flatMap((tag) => {
    const lines = described.filter((one) => one.tag === tag).map(({ line }) => line);
    return lines.length === 0 ? [] : [`## ${tag}\n${lines.join('\n')}`];
  });
  return `${[`# ${title} ${version}`, description, legend, ...sections, digest.named()].join('\n\n')}\n`;
}

class Digest {
  readonly #schemas: Record<string, Schema>;
  /** Those that have been named and are yet to be described. */
  readonly #shapes = new Set<string>();

  constructor(schemas: Record<string, Schema>) {
    this.#schemas = schemas;
  }

  operation(
    route: string,
    { summary = '', security = [], parameters = [], requestBody, responses }: Operation,
  ): string {
    const query = parameters
      .filter((one) => one.in === 'query')
      .map((one) => this.#member(one.name, one.schema, one.required === true));
    const body = Object.entries(requestBody?.content ?? {}).map(([type, { schema }]) =>
      type === 'application/json' && schema ? this.#members(schema) : type,
    );
    return [
      `${route}${security.length > 0 ? ' [key]' : ''} ${summary}`,
      ...(query.length > 0 ? [`query: ${query.join(', ')}`] : []),
      ...(body.length > 0 ? [`body: ${body.join(' or ')}`] : []),
      success(responses),
    ].join(' | ');
  }

  /** The shapes that operations have named, and those that these name. */
  named(): string {
    const lines: string[] = [];
    for (const name of this.#shapes) lines.push(`${name}: ${this.#members({ $ref: name })}`);
    return `## Shapes\n${lines.join('\n')}`;
  }

  /** The members of an object, between commas; of anything else what it is. */
  #members(given: Schema): string {
    const schema = given.$ref === undefined ? given : (this.#schemas[nameOf(given.$ref)] ?? {});
    if (schema.allOf) return schema.allOf.map((part) => this.#members(part)).join(', ');
    const members = Object.entries(schema.properties ?? {});
    if (members.length === 0) return this.#type(schema) || 'text';
    return members.map(([name, one]) => this.#member(name, one, schema.required?.includes(name) === true)).join(', ');
  }

  #member(name: string, schema: Schema, required: boolean): string {
    const type = this.#type(schema);
    const preset = schema.default === undefined ? '' : ` =${JSON.stringify(schema.default)}`;
    return `${name}${required ? '*' : ''}${type === '' ? '' : `: ${type}`}${preset}`;
  }

  /** Nothing for a text. */
  #type(schema: Schema): string {
    if (schema.$ref !== undefined) return this.#reference(nameOf(schema.$ref));
    const several = schema.anyOf ?? schema.allOf;
    if (several) return [...new Set(several.map((one) => this.#type(one) || 'text'))].join(' or ');
    if (schema.enum) return schema.enum.map(String).join('|');
    switch (schema.type) {
      case 'string':
        return '';
      case 'array':
        return `${(schema.items && this.#type(schema.items)) || 'text'}[]`;
      case 'integer':
      case 'number':
        return range(schema);
      case 'object':
        return this.#object(schema);
      default:
        return schema.type ?? 'any';
    }
  }

  #reference(name: string): string {
    const { type, properties, additionalProperties } = this.#schemas[name] ?? {};
    if (type === 'string') return this.#type(this.#schemas[name] ?? {});
    const free = type === 'object' && Object.keys(properties ?? {}).length === 0;
    if (free && Object.keys(Object(additionalProperties)).length === 0) return 'object';
    this.#shapes.add(name);
    return name;
  }

  #object(schema: Schema): string {
    if (Object.keys(schema.properties ?? {}).length > 0) return `{${this.#members(schema)}}`;
    const { additionalProperties: each } = schema;
    return typeof each === 'object' && Object.keys(each).length > 0
      ? `{name: ${this.#type(each) || 'text'}, ...}`
      : 'object';
  }
}

function nameOf(ref: string): string {
  return ref.slice(ref.lastIndexOf('/') + 1);
}

/** The statuses of success, and the shape of the answer where it has a name. */
function success(responses: Operation['responses']): string {
  const found = Object.entries(responses).filter(([code]) => code.startsWith('2'));
  const refs = found.flatMap(([, { content = {} }]) => Object.values(content).map(({ schema }) => schema?.$ref));
  const names = [...new Set(refs.filter((ref) => ref !== undefined).map(nameOf))].filter((name) => /^\w+$/.test(name));
  return [found.map(([code]) => code).join('/'), ...names].join(' ');
}

function range({ type, minimum, maximum }: Schema): string {
  return minimum === undefined && maximum === undefined ? String(type) : `${minimum ?? ''}..${maximum ?? ''}`;
}
