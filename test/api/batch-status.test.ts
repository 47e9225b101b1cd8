import { expect, test, vi } from 'vitest';
import { ask } from '../helpers/callers.ts';
import { ok } from '../helpers/entities.ts';
import { JobScene } from '../helpers/job-scene.ts';
import { threadGate } from '../helpers/thread-gate.ts';

test('a status that comes while more of a batch become jobs counts none of them twice', async () => {
  await using scene = await JobScene.open();
  const { id } = await scene.klados('accept');
  const gate = threadGate('runLongRead');
  try {
    const invocations = Array.from({ length: 1000 }, () => ({ target_entity: scene.file.id }));
    const body = { invocations, target_collection: scene.target.id, confirm: true };
    const { dispatch_id } = ok<{ dispatch_id: string }>(
      await ask(scene.node, scene.who, `POST /kladoi/${id}/invoke/batch`, body),
    );
    const totals: number[] = [];
    const looking = (async () => {
      while (gate.begun.length === 0) totals.push((await scene.status(id, dispatch_id)).progress.total);
    })();
    await expect.poll(() => gate.begun).toEqual(['runStatus']);
    await scene.node.ctx.invocations.idle();
    gate.open();
    await looking;
    expect(new Set(totals)).toEqual(new Set([1000]));
  } finally {
    gate.open();
    vi.restoreAllMocks();
  }
}, 120_000);
