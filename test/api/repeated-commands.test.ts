import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { ask, type Person, user } from '../helpers/callers.ts';
import { collection, type Entity, enrol, ok } from '../helpers/entities.ts';
import { failed, JobScene, type Started } from '../helpers/job-scene.ts';
import { allow, command, replying, workflow } from '../helpers/local.ts';
import { activeKlados } from '../helpers/worker-processes.ts';

let scene: JobScene;
let alice: Person;
/** A command of the operator that nobody else may invoke. */
let echo: Entity;
/** A klados of Alice. */
let own: Entity;
let self: Person;
beforeAll(async () => {
  scene = await JobScene.open({ env: { PATH: '/usr/bin:/bin' } });
  const { node, who } = scene;
  alice = await user(node, 'alice');
  await allow(node, { echo: replying('return {}') });
  echo = await command(node, who, (await collection(node, who, { roles: { public: ['*:view'] } })).id, 'echo');
  const theirs = await collection(node, alice, { roles: { public: ['*:view', '*:invoke'] } });
  const { klados, key } = await activeKlados(node, alice, theirs.id, { endpoint: `${scene.endpoint.url}/accept` });
  const verified = { endpoint: `${scene.endpoint.url}/accept`, verified_at: scene.clock.ms, operators: true };
  node.ctx.identity.verifications.putVerified(klados.id, verified);
  own = klados;
  self = { id: klados.id, headers: { Authorization: `ApiKey ${key}` } };
});
beforeEach(async () => {
  await scene.renew();
  await enrol(scene.node, scene.who, scene.target.id, alice, 'editor');
});
afterAll(() => scene[Symbol.asyncDispose]());

/** A workflow of her klados and then the command, whose first job has failed; the ways to repeat that. */
async function broken(author: Person, starter: Person) {
  const { node } = scene;
  const place = await collection(node, author, { roles: { public: ['*:view', 'rhiza:invoke'] } });
  const { id } = await workflow(node, author, place.id, {
    first: { klados: own, then: { pass: 'second' } },
    second: { klados: echo, then: { done: true } },
  });
  const started = ok<Started>(await ask(node, starter, `POST /rhizai/${id}/invoke`, scene.invocation()));
  const log = await scene.log(self, started, { status: 'error', error: failed, rhiza_id: id });
  return {
    ...{ place, started },
    resume: (who: Person) => ask(node, who, `POST /rhizai/${id}/jobs/${started.job_id}/resume`, {}),
    reinvoke: (who: Person) => ask(node, who, `POST /kladoi/${own.id}/reinvoke`, { log_id: log.id }),
  };
}

const refusal = { status: 403, body: { error: expect.stringContaining('may hand on to the command') } };

test.each(['resume', 'reinvoke'] as const)(
  'who may not start a command, by itself or by its workflow, does not repeat what hands on to it: %s',
  async (how) => {
    const { started, ...run } = await broken(alice, scene.who);
    // So that she may let the kladoi write their logs.
    await enrol(scene.node, scene.who, started.job_collection, alice, 'owner');
    expect(await run[how](alice)).toMatchObject(refusal);
    expect(scene.endpoint.received).toHaveLength(1);
    ok(await run[how](scene.who));
  },
);

test.each(['resume', 'reinvoke'] as const)('who may start it by its workflow repeats it: %s', async (how) => {
  const run = await broken(scene.who, alice);
  ok(await run[how](alice));
});

test('who may not start its workflow any more does not repeat it either', async () => {
  const { place, reinvoke } = await broken(scene.who, alice);
  ok(await ask(scene.node, scene.who, `PUT /collections/${place.id}/roles/public`, { actions: ['*:view'] }));
  expect(await reinvoke(alice)).toMatchObject(refusal);
});
