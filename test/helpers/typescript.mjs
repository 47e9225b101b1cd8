import { readFileSync } from 'node:fs';
import { createRequire, registerHooks } from 'node:module';
import { env } from 'node:process';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { isMainThread } from 'node:worker_threads';

// Threads run the sources as they are. Node would strip the types by itself, but with WebAssembly, in every thread: two
// that begin or end at the same time then bring V8 down now and then (SIGSEGV, or SIGTRAP in WasmImportWrapperCache::Free).
const require = createRequire(import.meta.url);

/** Where there is one file of all the sources of a thread (threads.ts). */
const bundles = env.TEST_THREADS;

registerHooks({
  resolve(specifier, context, next) {
    const thread = bundles && !isMainThread && /([^/]+-thread)\.ts$/.exec(specifier)?.[1];
    if (thread) return { url: pathToFileURL(`${bundles}/${thread}.js`).href, format: 'module', shortCircuit: true };
    // Controllers' decorators do nothing when the program runs (http/controller.ts): what applies them does nothing here.
    if (!specifier.startsWith('@oxc-project/runtime/helpers/')) return next(specifier, context);
    return { url: 'data:text/javascript,export default (_, target) => target', format: 'module', shortCircuit: true };
  },
  load(url, context, next) {
    if (!url.startsWith('file:') || !url.endsWith('.ts')) return next(url, context);
    const { transformSync } = require('rolldown/utils');
    const file = fileURLToPath(url);
    const { code, errors } = transformSync(file, readFileSync(file, 'utf8'), {
      lang: 'ts',
      decorator: { legacy: true },
    });
    if (errors.length > 0) throw new SyntaxError(`${file}: ${errors[0].message}`);
    return { format: 'module', source: code, shortCircuit: true };
  },
});
