import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  cycles,
  folderGraph,
  median,
  percentile,
  readTree,
  type SourceFile,
  sourceFile,
} from './helpers/source-tree.ts';

/** A rule over one file: what it finds is what is wrong; `violations` are files that it must object to. */
interface Rule {
  name: string;
  /** What to do about it. */
  message: string;
  find(file: SourceFile): string[];
  violations: { path: string; text: string }[];
}

/**
 * Who may import whom (architecture.md, section 4). Within one unit everything may. `:type` allows types only.
 * A unit is a folder of the server, a file beside them, or the part of a resource: controller, service, wire, rule.
 */
const directions: Record<string, string[]> = {
  cli: ['heaps', 'commands', 'processors', 'server', 'node-file', 'data-folder', 'config', 'log', 'errors'],
  commands: [
    'server',
    'jobs',
    'processors',
    'generated',
    'node-file',
    'node-http',
    'data-folder',
    'config',
    'exchange',
    'attest',
    'store',
    'model',
    'log',
    'errors',
  ],
  server: ['context', 'http', 'store', 'node-file', 'data-folder', 'config', 'log', 'errors'],
  'node-file': ['blocks', 'config:type', 'errors', 'log:type', 'node-http'],
  'data-folder': ['blocks', 'config:type', 'errors', 'log:type'],
  heaps: [],
  'node-http': [],
  context: ['*'],
  services: ['*'],
  invocations: ['*'],
  'local-processors': ['*'],
  'open-files': ['attest:type', 'store'],
  'request-pool': ['http', 'request-thread:type', 'model', 'store', 'errors', 'config:type', 'log:type'],
  'request-thread': ['*'],
  config: ['model', 'errors'],
  log: ['config:type', 'errors'],
  errors: [],
  loop: [],
  model: ['errors'],
  blocks: ['loop', 'errors', 'model:type'],
  store: ['model', 'blocks', 'loop', 'errors', 'log:type'],
  search: ['store', 'model', 'errors', 'log:type'],
  argo: ['store', 'model', 'errors', 'log:type'],
  jobs: ['node-http', 'model', 'store', 'blocks', 'kit', 'errors', 'log:type'],
  // What programs of other people import: it knows nothing of the node's inside.
  kit: ['model'],
  processors: ['jobs:type', 'kit', 'model', 'blocks', 'errors'],
  sync: ['model', 'store', 'blocks', 'loop', 'errors', 'log:type'],
  exchange: ['model', 'store', 'blocks', 'loop', 'errors', 'log:type'],
  attest: ['model', 'store', 'blocks', 'errors', 'log:type'],
  chat: ['service', 'wire', 'model', 'errors', 'log:type'],
  // The tools are those of the chat.
  mcp: ['service', 'wire', 'chat', 'model', 'errors', 'log:type'],
  http: [
    'controller',
    'generated',
    'node-http',
    'errors',
    'model',
    'config:type',
    'context:type',
    'services:type',
    'store:type',
    'service:type',
    'wire:type',
    'log:type',
  ],
  generated: ['*'],
  controller: ['service', 'wire', 'http', 'errors', 'model:type'],
  service: [
    'wire',
    'rule',
    'model',
    'store',
    'blocks',
    'loop',
    'search',
    'argo',
    'jobs',
    'attest',
    'errors',
    'log:type',
  ],
  rule: ['wire', 'model', 'store', 'blocks', 'loop', 'search', 'argo', 'jobs', 'kit', 'errors'],
  wire: ['model:type'],
};
/** The operator's resource runs the node, so it alone drives these. */
const operatorsUnits = ['sync', 'exchange', 'config:type'];
/** The parts of a resource that another one's files may know: its pure rules; its services and wire types only as types. */
const sharedParts = ['rule', 'service:type', 'wire:type'];

function wrongDirections(file: SourceFile): string[] {
  const from = unitOf(file.path);
  if (from.process !== 'server') {
    const elsewhere = (target: string) => unitOf(target).process !== from.process;
    return file.imports.flatMap(({ target }) => (target && elsewhere(target) ? [target] : []));
  }
  const allowed = directions[from.unit];
  if (!allowed) return [`the unit ${from.unit} is not in the table of directions`];
  const all = from.resource === 'node' ? [...allowed, ...operatorsUnits] : allowed;
  return file.imports.flatMap(({ target, typeOnly }) => {
    if (!target) return [];
    const to = unitOf(target);
    if (to.process !== 'server') return [target];
    if (from.resource && to.resource && from.resource !== to.resource) {
      return reaches(sharedParts, to.unit, typeOnly) ? [] : [target];
    }
    return to.unit === from.unit || reaches(all, to.unit, typeOnly)
      ? []
      : [typeOnly ? `${target} (as a type)` : target];
  });
}

function reaches(units: string[], unit: string, typeOnly: boolean): boolean {
  return units.includes('*') || units.includes(unit) || (typeOnly && units.includes(`${unit}:type`));
}

/**
 * `server/resources/entities/service.ts` is the unit `service` of the resource `entities`, and so is `batch-service.ts`
 * beside it; all know resources/wire.ts.
 */
function unitOf(path: string): { process: string; unit: string; resource: string | null } {
  const [process = '', folder = '', resource = '', ...rest] = path.split('/');
  if (process !== 'server') return { process, unit: process, resource: null };
  if (folder !== 'resources') return { process, unit: folder.replace(/\.ts$/, ''), resource: null };
  const part = /(?:^|-)(controller|service|wire)\.ts$/.exec(rest.at(-1) ?? resource)?.[1];
  return { process, unit: part ?? 'rule', resource: rest.length > 0 ? resource : null };
}

/** A rule that a package stays in its places; `typesAnywhere` where only running code of it is meant. */
function packageOnlyIn(
  name: string,
  packages: RegExp,
  place: RegExp,
  message: string,
  specifier: string,
  typesAnywhere = false,
): Rule {
  return {
    name,
    message,
    find: (file) =>
      place.test(file.path)
        ? []
        : file.imports
            .filter((found) => packages.test(found.specifier) && !(typesAnywhere && found.typeOnly))
            .map((found) => found.specifier),
    violations: [{ path: 'server/argo/plan.ts', text: `import thing from '${specifier}';\n` }],
  };
}

/** A rule that a pattern stays in its places; comments are not looked at. */
function codeOnlyIn(name: string, pattern: RegExp, place: RegExp, message: string, text: string): Rule {
  return {
    name,
    message,
    find: (file) => (place.test(file.path) ? [] : [...file.code.matchAll(pattern)].map(([found]) => found)),
    violations: [{ path: 'server/argo/plan.ts', text }],
  };
}

const sql =
  /(?<=['"`]\s*)(?:(?:SELECT|WITH)\s[^'"`]*\sFROM\s|SELECT\s[\w*]|INSERT\s+(?:OR\s+\w+\s+)?INTO\s|UPDATE\s+\w+\s+SET\s|DELETE\s+FROM\s|PRAGMA\s+\w|(?:CREATE|DROP|ALTER)\s+(?:TABLE|INDEX|UNIQUE|VIRTUAL|VIEW|TRIGGER)\s|BEGIN\s+IMMEDIATE|select\s[^'"`]*\sfrom\s|insert\s+(?:or\s+\w+\s+)?into\s|update\s+\w+\s+set\s|delete\s+from\s|pragma\s+\w|(?:create|drop|alter)\s+(?:table|index|unique|virtual|view|trigger)\s)/g;

const sinceNode22 =
  /\b(?:Map|Object)\.groupBy\b|\bPromise\.(?:withResolvers|try)\b|\bArray\.fromAsync\b|\bURL\.parse\b|\.(?:values|keys|entries)\(\)\s*\.(?:map|filter|flatMap|reduce|some|every|find|take|drop|toArray)\b/g;

const rules: Rule[] = [
  {
    name: 'imports follow the directions',
    message: 'Move the code, or hand the value in: architecture.md, section 4.',
    find: wrongDirections,
    violations: [
      { path: 'server/model/next-version.ts', text: "import { tip } from '../store/entities.ts';\n" },
      // Another service comes through the constructor, so only its type is known.
      { path: 'server/resources/files/service.ts', text: "import { Entities } from '../entities/service.ts';\n" },
      { path: 'server/resources/files/service.ts', text: "import type { Pull } from '../../sync/pull.ts';\n" },
      { path: 'server/blocks/encode.ts', text: "import { merge } from '../model/next-version.ts';\n" },
      // The three programs share HTTP or a process, nothing else.
      { path: 'main/index.ts', text: "import type { Config } from '../server/config.ts';\n" },
      { path: 'renderer/src/page.ts', text: "import type { Wire } from '../../server/resources/wire.ts';\n" },
      { path: 'server/unheard-of/plan.ts', text: '' },
    ],
  },
  packageOnlyIn(
    'better-sqlite3 is used in store/',
    /^(better-sqlite3|sqlite-vec)$/,
    /^server\/store\//,
    'Ask for the data through store/.',
    'better-sqlite3',
  ),
  packageOnlyIn(
    'express is used in http/',
    /^(express|helmet)$/,
    // server.ts listens with the finished app.
    /^server\/(http\/|server\.ts$)/,
    'Hand plain values in from http/.',
    'express',
  ),
  packageOnlyIn('electron is used in main/', /^electron(\/|$)/, /^main\//, 'The server runs without it.', 'electron'),
  packageOnlyIn(
    'multiformats and @ipld are used in blocks/',
    /^(multiformats|@ipld)(\/|$)/,
    // The page hashes a file before it sends it.
    /^(server\/blocks\/|renderer\/src\/views\/entity\/files\/cid-of\.ts$)/,
    'CIDs are strings outside blocks/ (their type is allowed).',
    '@ipld/dag-cbor',
    true,
  ),
  packageOnlyIn(
    'tsoa is used by controllers and http/',
    /^(tsoa|@tsoa)(\/|$)/,
    /^server\/(http\/|resources\/[^/]+\/([a-z-]+-)?controller\.ts$)/,
    'Keep it at the edge.',
    'tsoa',
  ),
  codeOnlyIn(
    'SQL stands in store/',
    sql,
    /^server\/store\//,
    'Give store/ a function.',
    "run('SELECT id FROM entity');\n",
  ),
  codeOnlyIn(
    'JSON of others is read by fromJson',
    /\bJSON\.parse\(/g,
    // What these read has no names that others choose, or shows where such a name would be lost.
    /^(?!server\/)|^server\/(model\/from-json|model\/json-loss|http\/(jwt|pages)|jobs\/local\/command-settings|node-file|resources\/collections\/find-service|search\/(latent\/facts|unread)|store\/(backup\/backup-manifest|graph\/[\w-]+|imports\/import-runs|search\/[\w-]+))\.ts$/,
    'JSON.parse reads some names as others: use model/from-json.ts.',
    'const said = JSON.parse(text);\n',
  ),
  codeOnlyIn(
    'the process is touched in cli.ts',
    /\bprocess\s*\.\s*(?:env|exit|exitCode|on|once|off|argv|stdin|stdout|stderr|kill|abort|chdir|cwd|umask)\b/g,
    // A process of its own starts commands, and ends their groups.
    /^server\/(cli|jobs\/local\/(command-host|process-group))\.ts$/,
    'Take the value from config.ts, or hand it in from cli.ts.',
    'const home = process.env.HOME;\n',
  ),
  {
    name: 'the kit asks for nothing that Node 20 has not',
    message: 'Workers run it with a Node of their own: package.json says from which one on.',
    find: (file) => (file.path.startsWith('server/kit/') ? (file.code.match(sinceNode22) ?? []) : []),
    violations: [{ path: 'server/kit/plan.ts', text: 'const ways = Map.groupBy(outputs, stepOf);\n' }],
  },
  {
    name: 'no file is over 400 lines',
    message: 'Split it by what its parts do.',
    find: (file) => (file.lines > 400 ? [`${file.lines} lines`] : []),
    violations: [{ path: 'server/argo/plan.ts', text: 'a();\n'.repeat(401) }],
  },
  {
    name: 'no folder is a drawer',
    message: 'Name the folder after what it is about.',
    find: (file) =>
      file.path.split('/').filter((part) => /^(utils?|helpers?|common|shared|misc|lib)(\.ts)?$/.test(part)),
    violations: [{ path: 'server/utils/strings.ts', text: 'export const a = 1;\n' }],
  },
  {
    name: 'no file only passes on others',
    message: 'Import from the file that has it.',
    find: (file) => (isBarrel(file.code) ? ['re-exports'] : []),
    violations: [{ path: 'server/argo/exports.ts', text: "export * from './plan.ts';\n" }],
  },
  {
    name: 'exports have names',
    message: 'Use a named export.',
    find: (file) => file.code.match(/^export default\b/gm) ?? [],
    violations: [{ path: 'server/argo/plan.ts', text: 'export default function plan() {}\n' }],
  },
  {
    name: 'files are kebab-case',
    message: 'Rename it: merge-plan.ts.',
    find: (file) => file.path.split('/').filter((part) => !/^[a-z0-9]+(-[a-z0-9]+)*(\.d)?(\.ts|\.tsx)?$/.test(part)),
    violations: [{ path: 'server/argo/mergePlan.ts', text: 'export const a = 1;\n' }],
  },
];

/** Nothing but re-exports, or a re-export of everything that another file has. */
function isBarrel(code: string): boolean {
  const rest = code.replace(/export\s+(?:type\s+)?\{[^}]*\}\s*from\s*'[^']*';?/g, '').trim();
  return /^export\s+(?:type\s+)?\*/m.test(code) || (rest === '' && code.trim() !== '');
}

const tree = readTree(new URL('../src/', import.meta.url));

describe('the source tree', () => {
  test('is there', () => {
    expect(tree.map(({ path }) => path)).toEqual(
      expect.arrayContaining(['main/index.ts', 'server/errors.ts', 'server/model/manifest.ts']),
    );
  });

  test.each(rules)('$name', ({ find, message }) => {
    const found = tree.flatMap((file) => find(file).map((what) => `${file.path}: ${what}. ${message}`));
    expect(found).toEqual([]);
  });

  test('has no import cycles between folders', () => {
    expect(cycles(folderGraph(tree, folderOf))).toEqual([]);
  });

  test('has a thin desktop shell: at most 8 files and 700 lines', () => {
    const folder = new URL('../src/main/', import.meta.url);
    const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter(
      (entry) => entry.isFile() && entry.name.endsWith('.ts'),
    );
    expect(files.length).toBeLessThanOrEqual(8);
    // All lines, as `wc -l` counts them.
    const texts = files.map(({ name, parentPath }) => readFileSync(join(parentPath, name), 'utf8'));
    expect(texts.reduce((sum, text) => sum + text.split('\n').length - 1, 0)).toBeLessThanOrEqual(700);
  });

  test('is made of small files', () => {
    const sizes = tree.map(({ lines }) => lines);
    console.info(`${sizes.length} files, median ${median(sizes)} lines, 90th percentile ${percentile(sizes, 0.9)}`);
    expect(percentile(sizes, 0.9)).toBeLessThanOrEqual(250);
  });
});

describe('the rules', () => {
  test.each(rules)('$name: a violation is caught', ({ find, violations }) => {
    for (const { path, text } of violations) expect(find(sourceFile(path, text)), `${path}: ${text}`).not.toEqual([]);
  });

  test('a cycle between folders is caught, also through a third one', () => {
    const files = [
      sourceFile('server/model/a.ts', "import { b } from '../store/b.ts';"),
      sourceFile('server/store/b.ts', "import type { C } from '../blocks/c.ts';"),
      sourceFile('server/blocks/c.ts', "export { a } from '../model/a.ts';"),
    ];
    expect(cycles(folderGraph(files, folderOf))).toEqual([['server/blocks', 'server/model', 'server/store']]);
  });

  test('comments, prose and types are no violations', () => {
    const innocent = sourceFile(
      'server/argo/plan.ts',
      "// 'SELECT a FROM b', process.env.HOME\nimport type { CID } from 'multiformats/cid';\nconst text = 'Update the set';\n",
    );
    expect(rules.flatMap(({ find }) => find(innocent))).toEqual([]);
  });
});

/**
 * The folders between which no cycle may be, not the files beside them that put all together. `generated` is left out,
 * and so are the controllers: the edge's two halves know each other (routes call controllers, these see the caller).
 */
function folderOf(path: string): string | null {
  const [process, folder, ...rest] = path.split('/');
  const left =
    process !== 'server' || rest.length === 0 || folder === 'generated' || unitOf(path).unit === 'controller';
  return left ? null : `server/${folder}`;
}
