import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { version } from '../../src/server/generated/version.ts';
import { unknownRoute } from '../../src/server/http/errors.ts';
import { commandLine } from '../helpers/command-line.ts';
import { startNode, type TestNode } from '../helpers/node.ts';

// Commands find a node that runs by its node.json, and another program may have started it.

let node: TestNode;
beforeEach(async () => {
  node = await startNode({
    extend: (app) => {
      // What an older node does not have, and one whose answer had fewer members.
      app.use('/node/remotes', () => {
        throw unknownRoute();
      });
      app.use('/node/status', (_request, response) => void response.json({ version: 'any', url: node.url }));
    },
  });
});
afterEach(() => node[Symbol.asyncDispose]());

async function is(other: string): Promise<void> {
  const file = join(node.data, 'node.json');
  await writeFile(file, JSON.stringify({ ...JSON.parse(await readFile(file, 'utf8')), version: other }));
}

describe.each(['remote list', 'status'])('archeion %s', (line) => {
  it.each([
    ['0.0.9', `It is Archeion 0.0.9, which is older than this command (${version}): stop it and start it again`],
    ['99.0.0', `It is Archeion 99.0.0, which is newer than this command (${version}): use the program`],
  ])('says in one sentence that the node is of the version %s', async (other, said) => {
    await is(other);
    const { code, out, err } = await commandLine(node.data, line.split(' '));
    expect({ code, out }).toEqual({ code: 1, out: '' });
    expect(err).toMatch(/^archeion: The node at http.* does not know what this command asks/);
    expect(err).toContain(said);
    expect(err.split('\n')).toHaveLength(1);
  });
});

it('where both have one version, a fault of ours is still told with its place', async () => {
  const { code, err } = await commandLine(node.data, ['status']);
  expect(code).toBe(1);
  expect(err).toContain(`It may be another build of Archeion ${version}: stop it`);
  expect(err).toMatch(/TypeError.*\n +at /);
});

it('what is not found for another reason is told as the node has it', async () => {
  await is('0.0.9');
  const { code, err } = await commandLine(node.data, ['key', 'revoke', 'uk_nothing']);
  expect({ code, err }).toMatchObject({ code: 2, err: expect.stringMatching(/^archeion: There is no key/) });
});
