import { existsSync, readdirSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { describe, expect, it } from 'vitest';
import { anchors, code, type Page, page, pages, prose, root } from './pages.ts';

// Every link of a page leads somewhere, and every file that it names is there.

/** What is wrong with the links of a page, and with the paths that it names. */
function broken(from: Page): string[] {
  const found: string[] = [];
  for (const [, target = ''] of prose(from).matchAll(/\]\(([^)\s]+)\)/g)) {
    if (/^[a-z]+:/.test(target)) continue;
    const [path = '', anchor] = target.split('#');
    const file = path === '' ? from.path : normalize(join(dirname(from.path), path));
    if (file !== from.path && !existsSync(root + file)) found.push(`${target}: there is no ${file}`);
    else if (anchor !== undefined && !anchors(file === from.path ? from : page(file)).has(anchor))
      found.push(`${target}: ${file} has no such heading`);
  }
  for (const span of code(from))
    for (const [path] of span.matchAll(/(?<![\w./:-])(?:src|test|build|docs)\/[\w.-]+(?:\/[\w.-]+)*/g)) {
      const plain = path.replace(/[.,]$/, '');
      if (!existsSync(root + plain)) found.push(`there is no ${plain}`);
    }
  return found;
}

describe('the links of', () => {
  for (const from of pages())
    it(from.path, () => {
      expect(broken(from)).toEqual([]);
    });
});

it('finds what leads nowhere', () => {
  const text = '# One\n\n[a](#one) [b](#two) [c](none.md) `src/none.ts`\n\n```sh\nnode build/none.ts\n```\n';
  expect(broken({ path: 'docs/made-up.md', text })).toEqual([
    '#two: docs/made-up.md has no such heading',
    'none.md: there is no docs/none.md',
    'there is no src/none.ts',
    'there is no build/none.ts',
  ]);
});

it('names each folder and file of the tree in README', () => {
  const [, tree = ''] = /^## The tree\n([\s\S]*?)^## /m.exec(page('README.md').text) ?? [];
  const lacking = ['src/server', 'src/renderer/src'].flatMap((folder) =>
    readdirSync(root + folder, { withFileTypes: true })
      .filter((entry) => entry.isDirectory() || (folder === 'src/server' && entry.name.endsWith('.ts')))
      .map((entry) => (entry.isDirectory() ? `${entry.name}/` : entry.name))
      .filter((name) => !tree.includes(name)),
  );
  expect(lacking).toEqual([]);
});
