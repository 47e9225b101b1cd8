import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import tailwind from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'electron-vite';
import type { Plugin, PluginOption } from 'vite';

/** What `out/main` holds. Threads are entries because they are started by file name, beside the module that starts them. */
const entries = {
  index: 'src/main/index.ts',
  cli: 'src/server/cli.ts',
  'writer-thread': 'src/server/store/threads/writer-thread.ts',
  'reader-thread': 'src/server/store/threads/reader-thread.ts',
  'checkpoint-thread': 'src/server/store/checkpoints/checkpoint-thread.ts',
  'task-thread': 'src/server/store/threads/task-thread.ts',
  'sqlite-thread': 'src/server/store/threads/sqlite-thread.ts',
  'request-thread': 'src/server/request-thread.ts',
  'index-thread': 'src/server/search/index-thread.ts',
  'embed-thread': 'src/server/search/embed-thread.ts',
  'search-thread': 'src/server/search/search-thread.ts',
  'attest-thread': 'src/server/attest/attest-thread.ts',
  'input-thread': 'src/server/jobs/input-thread.ts',
  'command-host': 'src/server/jobs/local/command-host.ts',
  // What processors of other people import as `archeion/kit`.
  kit: 'src/server/kit/kit.ts',
};

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

/** With what is built goes what its packages ask for: their licences, of those that became part of it. */
const license = { fileName: 'licenses.md' };

/** Vite lists the packages in the page, and not those in its workers: `inWorkers` finds them, `listed` adds them. */
const packagesInWorkers = new Set<string>();
const inWorkers: Plugin = {
  name: 'packages-in-workers',
  generateBundle(_, bundle) {
    for (const chunk of Object.values(bundle))
      for (const id of chunk.type === 'chunk' ? chunk.moduleIds : []) {
        const folder = /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(id)?.[0];
        if (folder) packagesInWorkers.add(folder);
      }
  },
};
const listed: Plugin = {
  name: 'licenses-of-workers',
  generateBundle: {
    order: 'post',
    handler(_, bundle) {
      const list = bundle[license.fileName];
      if (list?.type !== 'asset') return this.error('there is no list of licences');
      for (const folder of packagesInWorkers) {
        const { name, version, license: kind } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
        const head = `## ${name} - ${version} (${kind})\n`;
        const file = readdirSync(folder).find((it) => /^licen[sc]e/i.test(it));
        if (!file) this.error(`${name} is in a worker and has no file with its licence`);
        else if (!`${list.source}`.includes(head))
          list.source += `\n${head}\n${readFileSync(join(folder, file), 'utf8')}`;
      }
    },
  },
};

/** Of many small modules, of which each command reads dozens before it does anything: they become part of ours. */
const inlined = [
  'zod',
  'multiformats',
  '@ipld/dag-cbor',
  '@ipld/car',
  'ulid',
  'commander',
  'jose',
  'p-queue',
  'env-paths',
  '@modelcontextprotocol/sdk',
];

/**
 * Which modules of the page come together: to ask for a script takes the browser longer than to read a small one, and by
 * itself each module that two screens share would be one.
 */
const scripts = [
  { name: 'first', tags: ['$initial' as const], priority: 1 },
  { name: 'common', minShareCount: 3, maxModuleSize: 12_000 },
];

export default defineConfig({
  main: {
    plugins: [inLatin()],
    build: {
      outDir: 'out/main',
      externalizeDeps: { exclude: inlined },
      sourcemap: true,
      license,
      rolldownOptions: {
        input: entries,
        // Flat: a chunk finds a thread with `new URL('./writer-thread.js', import.meta.url)` as its source does.
        output: { format: 'es', entryFileNames: '[name].js', chunkFileNames: '[name]-[hash].js' },
      },
    },
  },
  renderer: {
    root: 'src/renderer',
    plugins: [react(), tailwind(), servedAt('/ui/'), listed],
    worker: { plugins: () => [inWorkers] },
    build: {
      outDir: 'out/renderer',
      // Browsers older than Electron's are served as well.
      target: 'es2023',
      minify: true,
      license,
      // Older ones would need two variables in place of each `light-dark()`, which Tailwind's cannot be.
      cssTarget: 'chrome123',
      // What did not come once, while the node was away, is not asked for again.
      cssCodeSplit: false,
      // As data addresses, fonts and workers would not pass the Content-Security-Policy.
      assetsInlineLimit: 0,
      rolldownOptions: {
        input: resolve(import.meta.dirname, 'src/renderer/index.html'),
        output: { codeSplitting: { groups: scripts } },
      },
    },
  },
});
