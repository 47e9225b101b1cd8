import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

// What nobody uses is deleted (CONTRIBUTING.md). Texts of the page: test/ui/messages.test.ts.

const root = fileURLToPath(new URL('../', import.meta.url));

/** The text of every file of a kind below these folders, by its path. */
function files(folders: string[], kind: RegExp): Map<string, string> {
  const paths = folders.flatMap((folder) =>
    readdirSync(root + folder, { recursive: true, encoding: 'utf8' }).map((path) => `${folder}/${path}`),
  );
  const wanted = paths.filter((path) => kind.test(path) && !/\/(?:generated|node_modules)\/|schema\.d\.ts$/.test(path));
  return new Map(wanted.map((path) => [path, readFileSync(root + path, 'utf8')]));
}

const sources = files(['src', 'test', 'build'], /\.(?:ts|tsx|mjs)$/);

it('exports nothing whose name stands nowhere else', () => {
  const count = new Map<string, number>();
  for (const text of sources.values())
    for (const [name] of text.matchAll(/[A-Za-z_$][\w$]*/g)) count.set(name, (count.get(name) ?? 0) + 1);
  const unused = [...sources].flatMap(([path, text]) =>
    [...text.matchAll(/^export (?:abstract |async )*(?:const|let|function\*?|class|interface|type) (\w+)/gm)]
      .filter(([, name = '']) => count.get(name) === 1)
      .map(([, name]) => `${path}: ${name}`),
  );
  expect(unused).toEqual([]);
});

it('has no file that no other names', () => {
  const configuration = ['package.json', 'electron.vite.config.ts', 'vitest.config.ts'];
  const all = [...sources, ...files(['src'], /\.(?:html|css)$/)].map(([path, text]) => ({ path, text }));
  const others = configuration.map((path) => ({ path, text: readFileSync(root + path, 'utf8') }));
  const named = new Set(
    [...all, ...others].flatMap(({ text }) => [...text.matchAll(/[\w.-]+\.(?:tsx?|mjs)\b/g)].map(([name]) => name)),
  );
  // Types that the compiler finds by itself.
  const unnamed = [...sources.keys()].filter(
    (path) => path.startsWith('src/') && !path.endsWith('.d.ts') && !named.has(path.split('/').at(-1) ?? ''),
  );
  expect(unnamed).toEqual([]);
});

it('installs no package that it does not use', () => {
  const { dependencies, devDependencies, scripts } = JSON.parse(readFileSync(`${root}package.json`, 'utf8')) as Record<
    'dependencies' | 'devDependencies' | 'scripts',
    Record<string, string>
  >;
  const configuration = ['electron.vite.config.ts', 'vitest.config.ts', 'tsconfig.base.json', 'biome.json'];
  const texts = [...sources.values(), ...files(['src', 'test'], /\.(?:css|json)$/).values()];
  const all = [...texts, ...configuration.map((path) => readFileSync(root + path, 'utf8')), ...Object.values(scripts)];
  const text = all.join('\n');
  const isUsed = (name: string) =>
    text.includes(`'${name}'`) || text.includes(`'${name}/`) || text.includes(`/${name}/`);
  const unused = Object.keys({ ...dependencies, ...devDependencies })
    // Types of a package that is used, and programs that scripts and other packages start.
    .filter(
      (name) => !name.startsWith('@types/') && !programs.has(name) && !isUsed(name) && !text.includes(`"${name}`),
    );
  expect(unused).toEqual([]);
});

const programs = new Set([
  '@biomejs/biome',
  'electron',
  'graphology-types',
  'node',
  'recheck',
  'typescript',
  'vite',
  'tailwindcss',
]);
