/** The parts of an OpenAPI 3 document that the page shows. */
interface Document {
  info: { title: string; version: string; description?: string };
  /** In the order in which they are shown. */
  tags?: { name: string; description?: string }[];
  paths: Record<string, Record<string, Operation>>;
  components?: { schemas?: Record<string, Schema> };
}

interface Operation {
  tags?: string[];
  summary?: string;
  description?: string;
  parameters?: { name: string; in: string; required?: boolean; description?: string; schema?: Schema }[];
  requestBody?: { required?: boolean; content?: Record<string, { schema?: Schema }> };
  responses?: Record<string, { description?: string; content?: Record<string, { schema?: Schema }> }>;
  security?: Record<string, string[]>[];
}

interface Schema {
  $ref?: string;
  type?: string;
  enum?: unknown[];
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: boolean | Schema;
  allOf?: Schema[];
  anyOf?: Schema[];
  description?: string;
  nullable?: boolean;
  [keyword: string]: unknown;
}

const style = `
:root{color-scheme:light dark;--line:color-mix(in srgb,currentColor 18%,transparent)}
body{font:15px/1.5 system-ui,sans-serif;max-width:60rem;margin:0 auto;padding:2rem 1rem}
h2{margin:2.5rem 0 .5rem}code,pre,summary b{font-family:ui-monospace,monospace;font-size:.92em}
details{border:1px solid var(--line);border-radius:6px;margin:.4rem 0;padding:.5rem .8rem}
summary{cursor:pointer}summary b{display:inline-block;min-width:4.5em;text-transform:uppercase}
table{border-collapse:collapse;width:100%;margin:.4rem 0 1rem}td,th{text-align:left;vertical-align:top;padding:.25rem .6rem .25rem 0;border-top:1px solid var(--line)}
h4{margin:1rem 0 .2rem}.quiet{opacity:.7}`;

/** The whole API as one page of HTML: no script, nothing from elsewhere, so that it works without a network. */
export function docsPage(document: Document): string {
  const { title, version, description } = document.info;
  const groups = new Map<string, string[]>((document.tags ?? []).map((tag) => [tag.name, []]));
  for (const [path, operations] of Object.entries(document.paths))
    for (const [method, operation] of Object.entries(operations)) {
      const tag = operation.tags?.[0] ?? 'Other';
      groups.set(tag, [...(groups.get(tag) ?? []), operationHtml(method, path, operation)]);
    }
  const about = new Map(document.tags?.map((tag) => [tag.name, tag.description]));
  const sections = [...groups]
    .filter(([, items]) => items.length > 0)
    .map(([tag, items]) => `<h2>${escaped(tag)}</h2>${paragraphs(about.get(tag))}${items.join('')}`)
    .join('');
  const schemas = Object.entries(document.components?.schemas ?? {});
  const types = schemas.map(([name, schema]) => typeHtml(name, schema)).join('');
  return (
    `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">` +
    `<title>${escaped(title)} API</title><style nonce="__STYLE_NONCE__">${style}</style></head><body><h1>${escaped(title)} API</h1>` +
    `${paragraphs(description)}<p class="quiet">Version ${escaped(version)}. ` +
    `The same as <a href="/openapi.json">openapi.json</a>.</p>${sections}<h2>Types</h2>${types}</body></html>`
  );
}

function operationHtml(method: string, path: string, operation: Operation): string {
  const words = operation.summary ?? operation.description?.split('\n')[0] ?? '';
  const key = operation.security?.length === 0 ? '' : ' <span class="quiet">credentials</span>';
  const parameters = (operation.parameters ?? []).map((p) =>
    row([
      `<code>${escaped(p.name)}</code> ${p.required ? 'required' : ''}`,
      `${escaped(p.in)}, ${typeText(p.schema)}`,
      marked(p.description),
    ]),
  );
  const body = Object.entries(operation.requestBody?.content ?? {}).map(([type, { schema }]) =>
    row([escaped(type), typeText(schema)]),
  );
  const answers = Object.entries(operation.responses ?? {}).flatMap(([status, { description, content }]) =>
    Object.values(content ?? { none: {} }).map(({ schema }) =>
      row([status, schema ? typeText(schema) : '', marked(description)]),
    ),
  );
  return (
    `<details><summary><b>${escaped(method)}</b> <code>${escaped(path)}</code> ${marked(words)}${key}</summary>` +
    `${paragraphs(operation.description)}${tableHtml('Parameters', parameters)}${tableHtml('Body', body)}` +
    `${tableHtml('Answers', answers)}</details>`
  );
}

function typeHtml(name: string, schema: Schema): string {
  const required = new Set(schema.required ?? []);
  const members = Object.entries(schema.properties ?? {}).map(([key, member]) =>
    row([
      `<code>${escaped(key)}</code>${required.has(key) ? '' : ' optional'}`,
      typeText(member),
      marked(member.description),
    ]),
  );
  const inner = members.length > 0 ? tableHtml('', members) : `<p>${typeText(schema)}</p>`;
  return `<details id="${escaped(name)}"><summary><code>${escaped(name)}</code></summary>${paragraphs(schema.description)}${inner}</details>`;
}

const limits = [
  'minLength',
  'maxLength',
  'minimum',
  'maximum',
  'minItems',
  'maxItems',
  'pattern',
  'format',
  'default',
  'example',
];

/** A type in a few words, as HTML. */
function typeText(schema: Schema | undefined): string {
  if (!schema) return 'anything';
  if (schema.$ref) {
    const name = schema.$ref.split('/').at(-1) ?? '';
    return `<a href="#${escaped(name)}">${escaped(name)}</a>`;
  }
  const parts = schema.allOf ?? schema.anyOf;
  if (parts) return parts.map(typeText).join(schema.allOf ? ' and ' : ' or ');
  if (schema.enum) return schema.enum.map((member) => `<code>${escaped(JSON.stringify(member))}</code>`).join(' or ');
  if (schema.type === 'array') return `list of ${typeText(schema.items)}`;
  const found = limits
    .filter((name) => schema[name] !== undefined)
    .map((name) => `${name} ${JSON.stringify(schema[name])}`);
  const inner = typeof schema.additionalProperties === 'object' ? ` of ${typeText(schema.additionalProperties)}` : '';
  const suffix = found.length > 0 ? ` <span class="quiet">${escaped(found.join(', '))}</span>` : '';
  return `${escaped(schema.type ?? 'anything')}${inner}${schema.nullable ? ' or null' : ''}${suffix}`;
}

function tableHtml(title: string, rows: string[]): string {
  if (rows.length === 0) return '';
  return `${title ? `<h4>${title}</h4>` : ''}<table>${rows.join('')}</table>`;
}

function row(cells: string[]): string {
  return `<tr>${cells.map((cell) => `<td>${cell}</td>`).join('')}</tr>`;
}

/** The little Markdown that descriptions have: code, bold, and paragraphs. */
function marked(text = ''): string {
  return escaped(text)
    .replace(/`([^`]+)`/g, '<code>$1</code>')
    .replace(/\*\*([^*]+)\*\*/g, '<b>$1</b>');
}

function paragraphs(text = ''): string {
  return text === '' ? '' : `<p>${marked(text).replaceAll('\n\n', '</p><p>')}</p>`;
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
