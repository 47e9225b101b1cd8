import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import tailwind from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'electron-vite';
import type { PluginOption } from 'vite';

/** What `out/main` holds. Threads are entries because they are started by file name, beside the module that starts them. */
const entries: { name: string; file: string; required: boolean }[] = [
  { name: 'index', file: 'src/main/index.ts', required: true },
  { name: 'cli', file: 'src/server/cli.ts', required: true },
  { name: 'writer-thread', file: 'src/server/store/writer-thread.ts', required: false },
  { name: 'task-thread', file: 'src/server/store/task-thread.ts', required: false },
  { name: 'request-thread', file: 'src/server/request-thread.ts', required: true },
  { name: 'index-thread', file: 'src/server/search/index-thread.ts', required: true },
  { name: 'embed-thread', file: 'src/server/search/embed-thread.ts', required: true },
  { name: 'search-thread', file: 'src/server/search/search-thread.ts', required: true },
  { name: 'attest-thread', file: 'src/server/attest/attest-thread.ts', required: true },
  { name: 'input-thread', file: 'src/server/jobs/input-thread.ts', required: true },
  { name: 'command-host', file: 'src/server/jobs/local/command-host.ts', required: true },
  // What processors of other people import as `archeion/kit`.
  { name: 'kit', file: 'src/server/kit/kit.ts', required: true },
  { name: 'reader-thread', file: 'src/server/store/reader-thread.ts', required: false },
];

function input(): Record<string, string> {
  const present = entries.filter(({ file }) => existsSync(resolve(import.meta.dirname, file)));
  const missing = entries.filter((entry) => entry.required && !present.includes(entry));
  if (missing.length > 0) {
    throw new Error(`The build needs ${missing.map(({ file }) => file).join(' and ')}, which does not exist.`);
  }
  return Object.fromEntries(present.map(({ name, file }) => [name, resolve(import.meta.dirname, file)]));
}

/** electron-vite wants relative addresses, for pages that are read from files. Ours has addresses of any depth below `base`. */
function servedAt(base: string): PluginOption {
  return { name: 'served-at', enforce: 'post', config: () => ({ base }) };
}

/** V8 keeps the source, in twice the memory where a single character of it is beyond Latin-1. */
function inLatin(): PluginOption {
  const escaped = (code: string) =>
    code.replace(/[^\0-\xff]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`);
  return {
    name: 'in-latin',
    // As the last of all: what prints the code before takes escapes back.
    enforce: 'post',
    generateBundle(_, bundle) {
      for (const chunk of Object.values(bundle)) if (chunk.type === 'chunk') chunk.code = escaped(chunk.code);
    },
  };
}

export default defineConfig({
  main: {
    plugins: [inLatin()],
    build: {
      outDir: 'out/main',
      externalizeDeps: { exclude: ['zod'] },
      sourcemap: true,
      rolldownOptions: {
        input: input(),
        // Flat: a chunk finds a thread with `new URL('./writer-thread.js', import.meta.url)` as its source does.
        output: { format: 'es', entryFileNames: '[name].js', chunkFileNames: '[name]-[hash].js' },
      },
    },
  },
  renderer: {
    root: 'src/renderer',
    plugins: [react(), tailwind(), servedAt('/ui/')],
    build: {
      outDir: 'out/renderer',
      // Browsers older than Electron's are served as well.
      target: 'es2023',
      minify: true,
      // Older ones would need two variables in place of each `light-dark()`, which Tailwind's cannot be.
      cssTarget: 'chrome123',
      // As data addresses, fonts and workers would not pass the Content-Security-Policy.
      assetsInlineLimit: 0,
      rolldownOptions: { input: resolve(import.meta.dirname, 'src/renderer/index.html') },
    },
  },
});
