import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

// What is handed out brings the licence of Archeion, and those of the packages that became part of what was built; any other
// package goes with its own folder.

const read = (path: string) => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8');

test.each([
  [
    'renderer',
    [
      'react',
      'react-dom',
      '@codemirror/view',
      '@radix-ui/react-dialog',
      '@tanstack/react-query',
      'sigma',
      'graphology-layout-forceatlas2',
    ],
  ],
  ['main', ['zod', 'commander', 'jose', 'multiformats', '@modelcontextprotocol/sdk']],
])('out/%s has the licences of the packages in it', (folder, packages) => {
  const sections = read(`out/${folder}/licenses.md`).split(/^## /m).slice(1);
  const named = new Map(sections.map((text) => [text.slice(0, text.indexOf(' - ')), text]));
  expect(packages.filter((name) => !named.has(name))).toEqual([]);
  // With the words of the licence, not its name alone.
  expect(packages.filter((name) => !/permission|licensed/i.test(named.get(name) ?? ''))).toEqual([]);
});

test('the desktop app and the container image bring them, and the licence of Archeion', () => {
  const files = /^files:\n((?: {2}- .*\n)+)/m.exec(read('build/electron-builder.yml'))?.[1]?.split('\n') ?? [];
  for (const path of ['out/main/**', 'out/renderer/**', 'LICENSE']) expect(files).toContain(`  - ${path}`);
  const image = read('build/container/Containerfile');
  expect(image).toMatch(/^COPY --from=build \/app\/out out$/m);
  expect(image).toMatch(/^COPY package\.json LICENSE \.\/$/m);
});
