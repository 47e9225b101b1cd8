import { expect, test } from 'vitest';
import { ask, operator } from '../helpers/callers.ts';
import { collection, ok } from '../helpers/entities.ts';
import { allow, command, program, within } from '../helpers/local.ts';
import { startNode, temporaryFolder } from '../helpers/node.ts';

const env = { PATH: '/usr/bin:/bin' };

test('a command that outlasts the permissions of its job is stopped before they end, and its log says so', async () => {
  await using folder = await temporaryFolder();
  const data = folder.path;
  let klados = '';
  let started = { job_id: '', job_collection: '', expires_at: '' };
  {
    await using node = await startNode({ data, env });
    const me = operator(node);
    const where = await collection(node, me, { label: 'target' });
    await allow(node, { slow: program('setInterval(() => {}, 1000)') });
    klados = (await command(node, me, where.id, 'slow')).id;
    const body = { target_entity: where.id, target_collection: where.id, confirm: true };
    started = ok(await ask(node, me, `POST /kladoi/${klados}/invoke`, body));
    await expect.poll(() => within(node, me, started.job_collection, 'klados_log')).toHaveLength(1);
  }
  // It begins anew with ten seconds left.
  const ahead = Date.parse(started.expires_at) - Date.now() - 10_000;
  await using node = await startNode({ data, env, now: () => Date.now() + ahead });
  const me = operator(node);
  await node.ctx.invocations.idle();
  const log = async () => (await within(node, me, started.job_collection, 'klados_log'))[0]?.properties;
  const error = {
    code: 'TIMEOUT',
    message: 'The command slow was stopped: the time of its job was up.',
    retryable: true,
  };
  await expect
    .poll(log, { timeout: 30_000 })
    .toMatchObject({ status: 'error', log_data: { entry: { status: 'error', error } } });
  const status = ok(await ask(node, me, `GET /kladoi/${klados}/jobs/${started.job_id}/status`));
  expect(status).toMatchObject({ status: 'error', errors: [error] });
});
