import { afterAll, beforeAll, expect, test } from 'vitest';
import { ask, operator, type Person } from '../helpers/callers.ts';
import { collection, create, type Entity, ok } from '../helpers/entities.ts';
import { allow, command, ended, replying, within } from '../helpers/local.ts';
import { startNode, type TestNode } from '../helpers/node.ts';
import { openBelow } from '../helpers/open-files.ts';

let node: TestNode;
let me: Person;
let place: Entity;
beforeAll(async () => {
  node = await startNode({ env: { PATH: '/usr/bin:/bin' } });
  me = operator(node);
  place = await collection(node, me, { label: 'processors' });
});
afterAll(() => node[Symbol.asyncDispose]());

/** The job of a command that answers what `reply` makes, once it has ended, with what it has made and its log. */
async function run(reply: string, more: object = {}) {
  const where = await collection(node, me, { label: 'target' });
  const target = await create(node, me, { collection: where.id });
  await allow(node, { writes: replying(reply) });
  const of = await command(node, me, place.id, 'writes', more);
  const body = { target_entity: target.id, target_collection: where.id, confirm: true };
  const { job_id, job_collection } = ok<{ job_id: string; job_collection: string }>(
    await ask(node, me, `POST /kladoi/${of.id}/invoke`, body),
  );
  const status = await ended(node, me, `/kladoi/${of.id}/jobs/${job_id}/status`);
  const [log] = await within(node, me, job_collection, 'klados_log');
  return { status, made: await within(node, me, where.id, 'note'), log: log as Entity };
}

test('a file of a command whose type is not said is kept as what its bytes look like', async () => {
  const { status, made } = await run(`
    const fs = require('node:fs');
    const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
    fs.writeFileSync(job.folder + '/dot', Buffer.from(png, 'base64'));
    fs.writeFileSync(job.folder + '/words', 'some words');
    fs.writeFileSync(job.folder + '/none', '');
    const content = ['dot', 'words', 'none'].map((path) => ({ path, key: path }));
    return { outputs: [{ type: 'note', content }] };`);
  expect(status).toMatchObject({ status: 'done' });
  expect(made).toMatchObject([
    {
      properties: {
        content: {
          dot: { content_type: 'image/png' },
          words: { content_type: 'application/octet-stream', size: 10 },
          none: { content_type: 'application/octet-stream', size: 0 },
        },
      },
    },
  ]);
});

test('a command may say more than its log keeps, which says how much is left out', async () => {
  const { status, log } = await run(
    'return { messages: Array.from({ length: 10_000 }, (_, n) => ({ message: String(n) })) };',
  );
  expect(status).toMatchObject({ status: 'done' });
  const { messages } = log.properties.log_data as { messages: { message: string }[] };
  expect(messages.slice(949).map(({ message }) => message)).toEqual([
    '949',
    '9050 more messages are left out.',
    'Job completed',
  ]);
});

test.each([
  ['whose type no header carries', "{ path: 'out', content_type: 'text/плаин' }", 'outputs.0.content.0.content_type'],
  ['with more bytes than content has', "{ path: 'huge', content_type: 'text/plain' }", 'more than 524288000 bytes'],
])('a file of a command %s is refused before its entity is made', async (_, content, words) => {
  const { status, made } = await run(`
    const fs = require('node:fs');
    fs.writeFileSync(job.folder + '/out', 'x');
    fs.writeFileSync(job.folder + '/huge', '');
    fs.truncateSync(job.folder + '/huge', 524288001);
    return { outputs: [{ type: 'note', content: [${content}] }] };`);
  expect(status).toMatchObject({
    status: 'error',
    errors: [{ code: 'INVALID_OUTPUT', message: expect.stringContaining(words) }],
  });
  expect(made).toEqual([]);
});

test.runIf(process.platform === 'linux')('a file that a command may not put anywhere does not stay open', async () => {
  const { status, made } = await run(
    `require('node:fs').writeFileSync(job.folder + '/refused.txt', 'x');
     return { outputs: [{ type: 'note', content: [{ path: 'refused.txt', content_type: 'text/plain' }] }] };`,
    { actions_required: ['entity:view', 'entity:create'] },
  );
  expect(status).toMatchObject({ status: 'error', errors: [{ code: 'PERMISSION_DENIED' }] });
  expect(made).toHaveLength(1);
  expect(openBelow('').filter((path) => path.includes('refused.txt'))).toEqual([]);
});
