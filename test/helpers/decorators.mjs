import { createRequire, registerHooks } from 'node:module';
import { fileURLToPath } from 'node:url';

// Threads run the sources as they are, and Node strips types but knows no decorators. Only controllers have some, and
// those do nothing when the program runs (http/controller.ts): what applies them does nothing here either.
const require = createRequire(import.meta.url);

registerHooks({
  resolve(specifier, context, next) {
    if (!specifier.startsWith('@oxc-project/runtime/helpers/')) return next(specifier, context);
    return { url: 'data:text/javascript,export default (_, target) => target', format: 'module', shortCircuit: true };
  },
  load(url, context, next) {
    if (!url.endsWith('/controller.ts')) return next(url, context);
    const { transformSync } = require('rolldown/utils');
    const { source } = next(url, { ...context, format: 'module-typescript' });
    const options = { lang: 'ts', decorator: { legacy: true } };
    const { code } = transformSync(fileURLToPath(url), String(source), options);
    return { format: 'module', source: code, shortCircuit: true };
  },
});
