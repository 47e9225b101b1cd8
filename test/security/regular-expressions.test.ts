import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { env } from 'node:process';
import { check } from 'recheck';
import { parseSync } from 'vite';
import { afterAll, expect, test } from 'vitest';
import { document } from '../contract/document.ts';
import { readTree } from '../helpers/source-tree.ts';

// Every regular expression of the node and the shell takes time that grows with its text and no faster, whatever the text
// is. `recheck` says so of each; what it has said stands in regular-expressions.json, since it takes its time, and a new
// one is looked at here, as long as it is not there (`UPDATE_REGULAR_EXPRESSIONS=1` writes it down).

const list = join(import.meta.dirname, 'regular-expressions.json');
const known = new Set(JSON.parse(readFileSync(list, 'utf8')) as string[]);

/** As it stands in the sources, with its flags, by where it stands. */
function regularExpressionsOf(path: string): string[] {
  const found: string[] = [];
  const { program } = parseSync(path, readFileSync(new URL(`../../src/${path}`, import.meta.url), 'utf8'));
  JSON.stringify(program, (_key, node) => {
    if (node?.type === 'Literal' && node.regex) found.push(`/${node.regex.pattern}/${node.regex.flags}`);
    return typeof node === 'bigint' ? String(node) : node;
  });
  return found;
}

const files = readTree(new URL('../../src/', import.meta.url)).filter(({ path }) => !path.startsWith('renderer/'));
const all = new Map<string, string>();
for (const { path } of files) for (const text of regularExpressionsOf(path)) all.set(text, path);
// What clients send is checked by these.
JSON.stringify(document, (key, value) => {
  if (key === 'pattern' && typeof value === 'string') all.set(`/${value}/`, 'the OpenAPI document');
  return value;
});

async function faultOf(text: string): Promise<string | null> {
  const end = text.lastIndexOf('/');
  const found = await check(text.slice(1, end), text.slice(end + 1), { timeout: 60_000 });
  if (found.status === 'safe') return null;
  return `${found.status}: ${found.status === 'vulnerable' ? `${found.complexity.summary}, ${found.attack.pattern}` : found.error.kind}`;
}

test('the sources have regular expressions, and they are found', () => {
  expect(all.size).toBeGreaterThan(100);
  expect([...all.values()]).toContain('the OpenAPI document');
  expect([...all.values()]).toContain('server/http/body.ts');
});

test('the tool finds what it is for', { timeout: 120_000 }, async () => {
  expect(await faultOf('/^(a+)+$/')).toContain('exponential');
  expect(await faultOf('/\\s+$/')).toContain('2nd degree');
  expect(await faultOf('/^[a-z]+$/')).toBeNull();
});

test('each of them is done in time that grows with its text', { timeout: 280_000 }, async () => {
  const faults: string[] = [];
  for (const [text, path] of all) {
    if (known.has(text)) continue;
    const fault = await faultOf(text);
    if (fault !== null) faults.push(`${path}: ${text}: ${fault}`);
    else known.add(text);
  }
  expect(faults).toEqual([]);
});

test('none is made of a text at run time but where it is known what comes of it', () => {
  const made = files.filter(({ code }) => /\bRegExp\(/.test(code)).map(({ path }) => path);
  expect(made.sort()).toEqual([
    // A name from the settings.
    'server/chat/citations.ts',
    // The patterns of the wire types, which are those of the OpenAPI document.
    'server/http/check.ts',
    // Of a processor's JSON Schema: only whether it is one. What runs it is a thread that is ended.
    'server/model/input-schema.ts',
  ]);
});

afterAll(() => {
  const used = [...known].filter((text) => all.has(text)).sort();
  if (env.UPDATE_REGULAR_EXPRESSIONS) writeFileSync(list, `${JSON.stringify(used, null, 2)}\n`);
});
