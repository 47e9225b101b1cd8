import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';
import { bodyLimits } from '../../src/server/http/body.ts';

// The committed document is the API's contract: `npm run contract:update` writes what the controllers now say, and the
// change is read as a diff.

const root = resolve(import.meta.dirname, '../..');
const snapshot = resolve(import.meta.dirname, 'openapi.json');

let generated: string;
beforeAll(async () => {
  await promisify(execFile)(process.execPath, [resolve(root, 'build/generate.ts')], { cwd: root });
  const document = JSON.parse(await readFile(resolve(root, 'src/server/generated/openapi.json'), 'utf8'));
  generated = `${JSON.stringify(sorted(document), null, 2)}\n`;
  if (process.env.UPDATE_CONTRACT) await writeFile(snapshot, generated);
});

/** Members in the order of their names, so that moving a controller changes nothing here. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(members.map(([name, member]) => [name, sorted(member)]));
}

describe('the OpenAPI document', () => {
  it('is the committed one; `npm run contract:update` accepts a change', async () => {
    expect(generated).toBe(await readFile(snapshot, 'utf8'));
  });

  it('names every operation once', () => {
    const ids = [...generated.matchAll(/"operationId": "(.*)"/g)].map((match) => match[1]);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('names every limit of a body', () => {
    const said = /The body is too large: at most ([^"]*)/.exec(generated)?.[1] ?? '';
    const limits = [...said.matchAll(/(\d+) ([KM])iB/g)].map(
      ([, n, unit]) => Number(n) * 2 ** (unit === 'K' ? 10 : 20),
    );
    expect(new Set(limits)).toEqual(new Set(bodyLimits));
  });
});
