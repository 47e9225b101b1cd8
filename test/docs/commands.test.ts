import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { Shell } from '../../src/server/commands/parts/shell.ts';
import { run } from '../../src/server/commands/run.ts';
import { code, type Page, pages, root } from './pages.ts';

// Every command, option and script that a page names is there.

const { scripts } = JSON.parse(readFileSync(`${root}package.json`, 'utf8')) as { scripts: Record<string, string> };
const said = new Map<string, string>();

/** The help of a command; empty where there is no such command. */
async function help(name: string): Promise<string> {
  const known = said.get(name);
  if (known !== undefined) return known;
  const lines: string[] = [];
  const put = (line: string) => void lines.push(line);
  const shell = { out: put, err: put } satisfies Partial<Shell>;
  await run([...name.split(' '), '--help'], shell as Partial<Shell> as Shell);
  const text = lines.join('\n');
  const answer = text.startsWith(`Usage: archeion ${name} `) ? text : '';
  said.set(name, answer);
  return answer;
}

/** What a page names and the program has not. */
async function unknown(from: Page): Promise<string[]> {
  const found: string[] = [];
  for (const line of code(from)) {
    for (const [, name = ''] of line.matchAll(/\bnpm run ([\w:-]+)/g))
      if (!(name in scripts)) found.push(`npm run ${name}`);
    // After ` -- ` stand the arguments of another command, such as the names of peers.
    for (const [, words = ''] of line.matchAll(/(?:^|(?<! --)[\s(])archeion ([a-z][^|;&)]*)/g)) {
      const [first = '', second = ''] = words.split(' ');
      const above = await help(first);
      if (above === '') found.push(`archeion ${first}`);
      const isPair = /^Commands:$/m.test(above) && /^[a-z]/.test(second);
      const name = isPair ? `${first} ${second}` : first;
      const text = isPair ? await help(name) : above;
      if (text === '' && above !== '') found.push(`archeion ${name}`);
      const [own = ''] = words.split(/ -- | {2,}/);
      for (const [option] of own.matchAll(/(?<=\s)--[a-z-]+/g))
        if (text !== '' && !['--data', '--network', '--help'].includes(option) && !has(text, option))
          found.push(`archeion ${name} ${option}`);
    }
  }
  return found;
}

const has = (text: string, option: string): boolean => new RegExp(`${option}(?![\\w-])`).test(text);

describe('the commands of', () => {
  for (const from of pages())
    it(from.path, async () => {
      expect(await unknown(from)).toEqual([]);
    });
});

it('finds what is not there', async () => {
  const text =
    '`npm run none`, `archeion none`, `archeion remote none`, `archeion sync --none`, `archeion sync --once`';
  expect(await unknown({ path: 'docs/made-up.md', text })).toEqual([
    'npm run none',
    'archeion none',
    'archeion remote none',
    'archeion sync --none',
  ]);
});
