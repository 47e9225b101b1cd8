import { createRequire, registerHooks } from 'node:module';
import { pathToFileURL } from 'node:url';

/**
 * The page's types of the interface, as openapi-typescript writes them of the OpenAPI document. It needs a compiler with
 * an API in JavaScript, which TypeScript 7 has no more: it is given the one that tsoa brings.
 */
export async function clientTypes(document: object): Promise<string> {
  const tsoa = createRequire(import.meta.resolve('tsoa'));
  const compiler = pathToFileURL(createRequire(tsoa.resolve('@tsoa/cli')).resolve('typescript')).href;
  const hooks = registerHooks({
    resolve(specifier, context, next) {
      if (specifier !== 'typescript' || !context.parentURL?.includes('/openapi-typescript/'))
        return next(specifier, context);
      return { url: compiler, format: 'commonjs', shortCircuit: true };
    },
  });
  try {
    const { default: openapiTs, astToString } = await import('openapi-typescript');
    // The document is handed over as data, so nothing is fetched.
    const nodes = await openapiTs(JSON.stringify(document), { silent: true, defaultNonNullable: false });
    return `// Made by build/generate.ts.\n${astToString(nodes)}`;
  } finally {
    hooks.deregister();
  }
}
