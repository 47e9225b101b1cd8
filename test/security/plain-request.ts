import { document, operations } from '../contract/document.ts';
import type { Scene } from '../contract/row.ts';

const email = 'somebody@x.test';
type Schema = { [key: string]: unknown };

/** A request to a route that is well formed by the OpenAPI document, about things of the scene. */
export function plainRequest(route: string, { collection }: Scene): { line: string; body?: unknown } {
  const operation = operations.get(route);
  const [method = '', template = ''] = route.split(' ');
  const parameters = operation?.parameters ?? [];
  const path = template.replaceAll(/\{(\w+)\}/g, (_all, name: string) => {
    const schema = parameters.find((one) => one.in === 'path' && one.name === name)?.schema ?? {};
    return encodeURIComponent(String(name === 'email' ? email : plain(schema, collection.id)));
  });
  const query = parameters
    .filter((one) => one.in === 'query' && one.required)
    .map(({ name, schema }) => `${name}=${encodeURIComponent(String(plain(schema, collection.id)))}`)
    .join('&');
  const schema = operation?.requestBody?.content['application/json']?.schema;
  return {
    line: `${method} ${path}${query === '' ? '' : `?${query}`}`,
    ...(schema && { body: plain(schema, collection.id) }),
  };
}

/** The least value that a schema describes. */
function plain(given: Schema, id: string): unknown {
  const name = typeof given.$ref === 'string' ? given.$ref.split('/').at(-1) : undefined;
  const schema = name === undefined ? given : (document.components.schemas[name] ?? {});
  if (schema !== given) return plain(schema, id);
  const [branch] = (schema.anyOf ?? schema.oneOf ?? schema.allOf ?? []) as Schema[];
  if (branch) return plain(branch, id);
  if (Array.isArray(schema.enum)) return schema.enum[0];
  switch (schema.type) {
    case 'string':
      return text(schema, id);
    case 'integer':
    case 'number':
      return schema.minimum ?? 1;
    case 'boolean':
      return true;
    case 'array':
      return Array.from({ length: Number(schema.minItems ?? 0) }, () => plain(schema.items as Schema, id));
    default: {
      const required = (schema.required ?? []) as string[];
      const properties = (schema.properties ?? {}) as Record<string, Schema>;
      return Object.fromEntries(
        required.map((member) => [member, member === 'email' ? email : plain(properties[member] ?? {}, id)]),
      );
    }
  }
}

function text({ pattern, minLength, format }: Schema, id: string): string {
  if (String(pattern ?? '').includes('HJKMNP')) return id;
  if (format === 'date-time') return new Date(0).toISOString();
  return /https?/.test(String(pattern ?? '')) ? 'https://x.test' : 'x'.repeat(Math.max(1, Number(minLength ?? 1)));
}
