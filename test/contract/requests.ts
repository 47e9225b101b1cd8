import fc from 'fast-check';
import { document, type Operation, operations, type Parameter } from './document.ts';
import { hostileJson, hostileText, storableObject, toText } from './hostile.ts';
import { alphaSecret } from './scene.ts';

/** One request as it goes out; `@tip:<id>` in its body stands for the tip that the entity then has. */
export interface Shot {
  route: string;
  who: 'anonymous' | 'user' | 'operator' | 'service' | 'impostor';
  method: string;
  path: string;
  headers: Record<string, string>;
  body?: string;
}

type Schema = { [key: string]: unknown };

/** What is on main and may be named. */
export interface Targets {
  entities: string[];
  collections: string[];
  users: string[];
  /** Of nothing, and of the other network. */
  odd: string[];
  cids: string[];
}

interface Known extends Targets {
  /** One value in so many is not what the document describes. */
  tame: number;
}

const idPattern = 'II[0-9A-HJKMNP-TV-Z]{24}';

function resolve(schema: Schema): Schema {
  const name = typeof schema.$ref === 'string' ? schema.$ref.split('/').at(-1) : undefined;
  return name === undefined ? schema : resolve(document.components.schemas[name] as Schema);
}

/** Mostly what the schema describes, sometimes (at any level) something else. `name` is the member's or parameter's. */
function fromSchema(given: Schema, known: Known, name: string, depth = 0): fc.Arbitrary<unknown> {
  const fitting = fitSchema(resolve(given), known, name, depth);
  return fc.oneof({ weight: known.tame, arbitrary: fitting }, { weight: 1, arbitrary: hostileJson });
}

function fitSchema(schema: Schema, known: Known, name: string, depth: number): fc.Arbitrary<unknown> {
  const branches = (schema.anyOf ?? schema.oneOf ?? schema.allOf) as Schema[] | undefined;
  if (branches) return fc.oneof(...branches.map((branch) => fromSchema(branch, known, name, depth)));
  if (Array.isArray(schema.enum)) return fc.constantFrom(...(schema.enum as unknown[]));
  switch (schema.type) {
    case 'string':
      return text(schema, known, name);
    case 'integer':
    case 'number':
      return fc.oneof(fc.integer({ min: 0, max: 30 }), fc.constantFrom(-1, 0, 1, 500, 501, 10_001, 2 ** 53));
    case 'boolean':
      return fc.boolean();
    case 'array':
      return fc.array(fromSchema(schema.items as Schema, known, name, depth + 1), {
        minLength: Math.min(Number(schema.minItems ?? 0), 1),
        maxLength: depth > 3 ? 1 : 3,
      });
    case 'object':
      return object(schema, known, depth);
    default:
      return hostileJson;
  }
}

/** Mostly ids of the kind that the name asks for. */
function idFor(name: string, { entities, collections, users, odd }: Known): fc.Arbitrary<string> {
  const kind = name.includes('collection') ? collections : /^user/i.test(name) ? users : entities;
  return fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom(...kind) },
    { weight: 1, arbitrary: fc.constantFrom(...entities, ...collections, ...users, ...odd) },
  );
}

/** What a member or parameter of that name is likely to take. */
const likely: Record<string, string[]> = {
  role: ['owner', 'editor', 'viewer', 'public', 'reader', 'constructor', '__proto__'],
  actions: ['*:view', 'entity:update', 'file:*', 'collection:manage'],
  expand: ['relationships', 'relationships:full', 'preview', 'full'],
  filter: ['{}', '{"type":"document"}', '{"_b":{"$exists":true}}', '{"__proto__":1}', '{"$or":[{"_b":{"$in":[1]}}]}'],
  predicate: ['owner', 'has'],
  predicates: ['has', 'has,in'],
  email: ['guest@example.org', 'Guest@Example.org', 'other@example.org', '@'],
  display_image_url: ['https://x.test/a.png'],
};

function text(schema: Schema, known: Known, name: string): fc.Arbitrary<unknown> {
  const { tame, cids, entities } = known;
  const pattern = String(schema.pattern ?? '');
  if (pattern.includes(idPattern)) return idFor(name, known);
  const guesses = Object.hasOwn(likely, name) ? likely[name] : undefined;
  if (guesses) return fc.oneof({ weight: tame, arbitrary: fc.constantFrom(...guesses) }, hostileText);
  if (['cid', 'from', 'to', 'tx'].includes(name))
    return fc.oneof({ weight: tame, arbitrary: fc.constantFrom(...cids) }, hostileText);
  if (pattern !== '') return fc.constantFrom('has', 'part_of', 'collection', 'owner', 'x'.repeat(51));
  return fc.oneof(
    {
      weight: tame,
      arbitrary: fc.constantFrom('document', 'has', 'collection', 'owner', '*', '*:view', 'user', '@tip'),
    },
    { weight: tame, arbitrary: fc.constantFrom(...entities) },
    { weight: 12, arbitrary: hostileText },
  );
}

function object(schema: Schema, known: Known, depth: number): fc.Arbitrary<unknown> {
  const properties = Object.entries((schema.properties ?? {}) as { [name: string]: Schema });
  if (properties.length === 0 || depth > 4)
    return fc.oneof({ weight: known.tame, arbitrary: storableObject }, { weight: 6, arbitrary: hostileObject });
  const required = new Set(schema.required as string[] | undefined);
  const members = properties.map(([name, one]) => {
    const value = name.startsWith('expect_') ? tip : fromSchema(one, known, name, depth + 1);
    const omitted = required.has(name) ? 1 : known.tame;
    return fc
      .oneof({ weight: known.tame, arbitrary: value }, { weight: omitted, arbitrary: fc.constant(undefined) })
      .map((v) => [name, v]);
  });
  return fc.tuple(...members).map((entries) => Object.fromEntries(entries.filter(([, value]) => value !== undefined)));
}

const tip = fc.oneof({ weight: 8, arbitrary: fc.constant('@tip') }, { weight: 1, arbitrary: hostileText });
const hostileObject = hostileJson.filter((v) => typeof v === 'object' && v !== null && !Array.isArray(v));
const rawPath = fc.constantFrom(
  '%',
  '%zz',
  '%ff',
  '%00',
  '..',
  '%2e%2e',
  '%2f',
  '.',
  '*',
  '~',
  '%ED%A0%80',
  '__proto__',
);

/** `/collections/{id}` asks for a collection. */
function segment(parameter: Parameter, before: string, known: Known): fc.Arbitrary<string> {
  const name = parameter.name === 'id' ? before : parameter.name;
  const fitting = fromSchema(parameter.schema, known, name).map((v) => encode(v));
  return fc.oneof({ weight: known.tame, arbitrary: fitting }, { weight: 1, arbitrary: rawPath });
}

function encode(value: unknown): string {
  const plain = typeof value === 'string' ? value : toText(value);
  return encodeURIComponent(plain.toWellFormed().slice(0, 3000)) || '%20';
}

function query(operation: Operation, known: Known): fc.Arbitrary<string> {
  const parameters = (operation.parameters ?? []).filter((p) => p.in === 'query');
  const values = parameters.map((p) => {
    const value = fromSchema(p.schema, known, p.name).map((v) => `${p.name}=${encode(v)}`);
    return fc.oneof(
      { weight: p.required ? 1 : 30, arbitrary: fc.constant([]) },
      { weight: p.required ? known.tame : 10, arbitrary: value.map((v) => [v]) },
      { weight: known.tame < 100 ? 4 : 1, arbitrary: fc.array(value, { maxLength: 3 }) },
    );
  });
  const odd = fc.constantFrom('a[b]=c', '%=%', '__proto__=1', 'limit=%zz', '&&&', '=', 'toString', 'limit[]=1');
  const more = fc.oneof(
    { weight: known.tame, arbitrary: fc.constant([]) },
    odd.map((v) => [v]),
  );
  return fc.tuple(...values, more).map((lists) => {
    const all = lists.flat();
    return all.length === 0 ? '' : `?${all.join('&')}`;
  });
}

const headerText = fc.constantFrom('main', 'test', 'prod', '', '*', 'gzip', 'x'.repeat(200), '\u00ff', 'utf-16', '0');
/** One value as often as the requests are tame. */
function usually<T>(value: T, odd: fc.Arbitrary<T>, { tame }: Known): fc.Arbitrary<T> {
  return fc.oneof({ weight: tame, arbitrary: fc.constant(value) }, { weight: 4, arbitrary: odd });
}

const oddHeaders: fc.Arbitrary<Record<string, string>> = fc.oneof(
  { weight: 2, arbitrary: fc.constant({}) },
  {
    weight: 2,
    arbitrary: fc.dictionary(
      fc.constantFrom(
        ...['X-Arke-Network', 'X-On-Behalf-Of', 'Cookie', 'Accept', 'Range', 'If-None-Match', 'Content-Encoding'],
        ...['X-HTTP-Method-Override', 'X-Forwarded-Host', 'Accept-Language', 'Origin'],
      ),
      headerText,
      { maxKeys: 2 },
    ),
  },
  { weight: 1, arbitrary: fc.constant({ 'X-Arke-Network': 'test' }) },
);

const oddTypes = fc.constantFrom(
  ...['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data', 'application/json; charset=utf-16'],
  ...['application/vnd.api+json', 'json', '', ';', 'application/octet-stream', 'application/json;charset=\u00ff'],
);

const junk = fc.constantFrom(
  '',
  '{',
  'null',
  '"text"',
  '[]',
  '5',
  '{"a":1}}',
  '\u0000',
  '['.repeat(5000),
  '{"a":'.repeat(300),
  '\ufeff{}',
);

function body(operation: Operation, known: Known): fc.Arbitrary<string | undefined> {
  const schema = operation.requestBody?.content['application/json']?.schema;
  if (!schema) return fc.oneof({ weight: 6, arbitrary: fc.constant(undefined) }, junk, hostileJson.map(toText));
  return fc.oneof(
    { weight: 2 * known.tame, arbitrary: fitSchema(resolve(schema), known, '', 0).map(toText) },
    { weight: 1, arbitrary: hostileJson.map(toText) },
    { weight: 1, arbitrary: junk },
    { weight: 1, arbitrary: fc.constant(undefined) },
  );
}

/** The id in a path that a body's `@tip` is about: the first that looks like one. */
function withTips(path: string, text: string): string {
  const id = /[0-9A-Z]{26}/.exec(path)?.[0] ?? /"source_id":"([0-9A-Z]{26})"/.exec(text)?.[1];
  return id === undefined ? text : text.replaceAll('"@tip"', `"@tip:${id}"`);
}

/** What an operator may reach on the machine is not for random requests. */
function callers(route: string): fc.Arbitrary<Shot['who']> {
  if (route.includes(' /node/')) return fc.constantFrom('anonymous', 'user', 'impostor');
  return fc.oneof(
    { weight: 3, arbitrary: fc.constant('anonymous' as const) },
    { weight: 7, arbitrary: fc.constant('user' as const) },
    { weight: 7, arbitrary: fc.constant('operator' as const) },
    { weight: 2, arbitrary: fc.constant('service' as const) },
    { weight: 1, arbitrary: fc.constant('impostor' as const) },
  );
}

/** Requests to every operation of the document, each as likely as the next; half of them mean it well. */
export function shots(targets: Targets): fc.Arbitrary<Shot> {
  return fc.oneof(
    ...[12, 200].flatMap((tame) =>
      [...operations].map(([route, operation]) => shotAt(route, operation, { ...targets, tame })),
    ),
  );
}

/** What the endpoints of invites need beside, or instead of, an account. */
function secrets(route: string): fc.Arbitrary<Record<string, string>> {
  const right = fc.constant({ 'X-Alpha-Secret': alphaSecret });
  return route.includes(' /alpha/') ? fc.oneof({ weight: 5, arbitrary: right }, fc.constant({})) : fc.constant({});
}

function shotAt(route: string, operation: Operation, known: Known): fc.Arbitrary<Shot> {
  const [documented = '', template = ''] = route.split(' ');
  const parts = template.split('/').map((part, i, all) => {
    const parameter = operation.parameters?.find((p) => p.in === 'path' && `{${p.name}}` === part);
    return parameter ? segment(parameter, all[i - 1] ?? '', known) : fc.constant(part);
  });
  const odd = fc.constantFrom('GET', 'HEAD', 'OPTIONS', 'PATCH', 'POST', 'PUT', 'DELETE');
  return fc
    .record({
      who: callers(route),
      method: fc.oneof({ weight: 30, arbitrary: fc.constant(documented) }, { weight: 1, arbitrary: odd }),
      parts: fc.tuple(...parts),
      query: query(operation, known),
      headers: usually({}, oddHeaders, known),
      secret: secrets(route),
      type: usually('application/json', oddTypes, known),
      body: body(operation, known),
    })
    .map(({ parts: segments, query: search, headers: sent, secret, type, body: text, ...shot }) => {
      const path = segments.join('/') + search;
      const content = text === undefined ? {} : { body: withTips(path, text) };
      return {
        route,
        ...shot,
        path,
        headers: { ...(text === undefined ? {} : { 'Content-Type': type }), ...secret, ...sent },
        ...content,
      };
    });
}
