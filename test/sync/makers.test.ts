import { expect, test } from 'vitest';
import { ask, user } from '../helpers/callers.ts';
import { collection, type Entity, enrol, ok, read } from '../helpers/entities.ts';
import { agent, klados, rhiza } from '../helpers/processors.ts';
import { type Pair, startPair, sync, tipsOf } from './nodes.ts';

// A plain remote says what is pushed there by versions of its own, by the user of the key: who made it here stays.

async function pushed({ mirror, here, origin }: Pair, ...entities: Entity[]): Promise<void> {
  for (let run = 0; run < 2; run++) await sync(mirror, here);
  const [ours, theirs] = [await tipsOf(mirror), await tipsOf(origin)];
  for (const { id } of entities) expect(ours[id]).toBe(theirs[id]);
}

test('whoever made a processor here may manage and invoke it, though a plain remote has it by another user', async () => {
  await using pair = await startPair({ plain: true });
  const { mirror, here } = pair;
  const ann = await user(mirror, 'ann');
  const home = await collection(mirror, here);
  await enrol(mirror, here, home.id, ann, 'editor');
  const all = [
    await klados(mirror, ann, home.id),
    await agent(mirror, ann, home.id),
    await rhiza(mirror, ann, home.id),
  ];
  await pushed(pair, ...all);
  for (const { id, type } of all) {
    expect((await read(mirror, ann, id)).edited_by.user_id).toBe(pair.curator.id);
    const { allowed_actions } = ok<{ allowed_actions: string[] }>(
      await ask(mirror, ann, `GET /entities/${id}/permissions`),
    );
    expect(allowed_actions).toEqual(expect.arrayContaining([`${type}:manage`, `${type}:invoke`]));
  }
});
