import { hash } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, relative, resolve } from 'node:path';
import { AbstractRouteGenerator, type ExtendedRoutesConfig, generateRoutes, generateSpec } from 'tsoa';
import { clientTypes } from './client-types.ts';
import { completed, introduction, securityDefinitions, tags } from './document.ts';

// Reads the controllers and their wire types, and writes what the server makes of them into src/server/generated:
// routes.ts (data for http/routes.ts), openapi.json, openapi.ts (the same document as a constant), and version.ts.
// The page gets the same document as types, src/renderer/src/api/schema.d.ts.

const root = resolve(import.meta.dirname, '..');
const folder = resolve(root, 'src/server/generated');
const controllers = [resolve(root, 'src/server/resources/**/controller.ts')];
const { version, license } = JSON.parse(await readFile(resolve(root, 'package.json'), 'utf8')) as {
  version: string;
  license: string;
};

/** The numbers are TypeScript's: ESNext, bundler resolution. */
const compilerOptions = {
  target: 99,
  module: 99,
  moduleResolution: 100,
  strict: true,
  allowImportingTsExtensions: true,
  noEmit: true,
  experimentalDecorators: true,
  // Nothing on the wire has a type of Node's or of a browser's, and to read those takes a while.
  types: [],
  lib: ['lib.esnext.d.ts'],
  skipLibCheck: true,
};

/** Writes routes as data instead of tsoa's functions: http/check.ts reads the schemas, http/routes.ts serves them. */
class RouteTable extends AbstractRouteGenerator<ExtendedRoutesConfig> {
  override async GenerateCustomRoutes(): Promise<void> {
    const { controllers, models } = this.buildContext();
    const routes = controllers.flatMap((controller) =>
      controller.actions.map((action) => {
        const status = typeof action.successStatus === 'number' ? action.successStatus : undefined;
        const caller = callerOf(action.security);
        const streams = this.streams(controller.name, action.name) || undefined;
        const data = { method: action.method, path: action.fullPath, action: action.name, caller, status, streams };
        const parameters = Object.values(action.parameters);
        return `  { controller: ${controller.name}, ...${JSON.stringify({ ...data, parameters })} },\n`;
      }),
    );
    const imports = controllers
      .map(({ name, modulePath }) => `import { ${name} } from '${modulePath.replace(/^\.\/\.\./, '..')}';\n`)
      .toSorted();
    await writeWhenChanged(
      'routes.ts',
      `// Made by build/generate.ts from the controllers.\n${imports.join('')}` +
        `import type { RouteTable } from '../http/routes.ts';\n\n` +
        `export const table: RouteTable = {\n  models: ${JSON.stringify(models, null, 2).replaceAll('\n', '\n  ')},\n` +
        `  routes: [\n${routes.map((line) => `  ${line}`).join('')}  ],\n};\n`,
    );
  }

  /** Whether an endpoint takes or gives other than JSON, as its decorators say. */
  private streams(controller: string, action: string): boolean {
    const found = this.metadata.controllers.find(({ name }) => name === controller);
    const method = found?.methods.find(({ name }) => name === action);
    return method?.consumes !== undefined || (method?.produces ?? []).some((type) => type !== 'application/json');
  }
}

/** Who may call an endpoint, from what its decorators say (see http/routes.ts). */
function callerOf(security: Record<string, string[]>[]): string {
  if (security.length === 0) return 'anyone';
  if (security.some((one) => 'alphaSecret' in one)) return 'secret';
  return security.some((one) => 'apiKeyAuth' in one) ? 'registered' : 'token';
}

/** An unchanged file keeps its time, so that watchers rest. */
async function writeWhenChanged(name: string, text: string): Promise<void> {
  const path = resolve(folder, name);
  await mkdir(dirname(path), { recursive: true });
  const old = await readFile(path, 'utf8').catch(() => null);
  if (old === text) return;
  await writeFile(path, text);
  process.stdout.write(`${relative(root, path)}\n`);
}

await mkdir(folder, { recursive: true });
const common = {
  entryFile: '',
  noImplicitAdditionalProperties: 'ignore' as const,
  controllerPathGlobs: controllers,
  // What an endpoint needs unless it says otherwise.
  rootSecurity: [{ bearerAuth: [] }, { apiKeyAuth: [] }] as Record<string, string[]>[],
};
const metadata = await generateRoutes(
  {
    ...common,
    routesDir: folder,
    esm: true,
    rewriteRelativeImportExtensions: true,
    bodyCoercion: false,
    routeGenerator: RouteTable,
  },
  compilerOptions,
);
await generateSpec(
  {
    ...common,
    outputDirectory: folder,
    specFileBaseName: 'openapi',
    specVersion: 3,
    name: 'Archeion',
    version,
    description: introduction,
    license,
    basePath: '/',
    tags,
    operationIdTemplate: "{{replace controllerName 'Controller' ''}}{{titleCase method.name}}",
    securityDefinitions,
  },
  compilerOptions,
  [],
  metadata,
);
const specification = resolve(folder, 'openapi.json');
const document = JSON.stringify(completed(JSON.parse(await readFile(specification, 'utf8'))));
await writeFile(specification, document);
await writeWhenChanged(
  'openapi.ts',
  `// Made by build/generate.ts.\n/** The text of openapi.json. */\nexport const openapi = ${JSON.stringify(document)};\n`,
);
await writeWhenChanged(
  'version.ts',
  `// Made by build/generate.ts.\nexport const version = ${JSON.stringify(version)};\n`,
);
// The types are a second's work, and change with the document only.
const types = resolve(root, 'src/renderer/src/api/schema.d.ts');
const known = hash('sha256', document);
const old = await readFile(types, 'utf8').catch(() => '');
if (!old.startsWith(`// ${known}\n`)) {
  const text = await clientTypes(JSON.parse(document));
  await writeWhenChanged(types, `// ${known}\n${text}`);
}
