import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { browserThere } from './chromium.ts';

const built = resolve(import.meta.dirname, '../../out/renderer');

/** The scripts that the document asks for before anything is shown, by what it and they import at once. */
function firstScripts(): string[] {
  const document = readFileSync(resolve(built, 'index.html'), 'utf8');
  const named = [...document.matchAll(/(?:src|href)="\/ui\/(assets\/[^"]+\.js)"/g)].map(([, path]) => path ?? '');
  const found = new Set(named);
  for (const path of found) {
    const code = readFileSync(resolve(built, path), 'utf8');
    for (const [, next] of code.matchAll(/(?:from|import)\s*"\.\/([^"]+\.js)"/g)) found.add(`assets/${next}`);
  }
  return [...found];
}

test.skipIf(!browserThere)('the first screen needs one script of less than 300 kB', () => {
  if (!existsSync(resolve(built, 'index.html'))) throw new Error('Build the page first: npm run build');
  const scripts = firstScripts();
  expect(scripts).toHaveLength(1);
  const bytes = scripts.map((path) => gzipSync(readFileSync(resolve(built, path))).length).reduce((a, b) => a + b);
  console.info(`${bytes} bytes compressed`);
  expect(bytes).toBeLessThan(300_000);
});
