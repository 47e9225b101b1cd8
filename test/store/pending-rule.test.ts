import { expect, test } from 'vitest';
import { type Connection, openWriter } from '../../src/server/store/connection.ts';
import { notePending, rebuildPending } from '../../src/server/store/remotes/pending.ts';
import { first, idOf, next, openStore, step } from '../helpers/store.ts';

type Cell = number | string | null;

/** Every choice of one value for each member. */
function choices<T extends Record<string, readonly Cell[]>>(of: T): { [K in keyof T]: T[K][number] }[] {
  return Object.entries(of).reduce<Record<string, Cell>[]>(
    (found, [name, values]) => found.flatMap((it) => values.map((value) => ({ ...it, [name]: value }))),
    [{}],
  ) as { [K in keyof T]: T[K][number] }[];
}

function pendingOf(db: Connection, remote: number): number[] {
  const sql = 'SELECT entity FROM push_pending WHERE remote = ? ORDER BY entity';
  return db.all<{ entity: number }>(sql, remote).map(({ entity }) => entity);
}

test('what waits to be pushed is the same entity by entity as of all at once, in whatever state an entity is', async () => {
  await using opened = await openStore('here');
  const states = choices({
    ...{ theirs: [null, 'tip', 'before'], twin: [null, 'tip', 'before'], apart: [0, 1, 2], intent: [0, 1] },
    // What another remote has of it, and whether that is a node.
    ...{ other: [null, 'tip', 'before'], otherNode: [0, 1], kind: ['person', 'user', 'deleted'] },
  });
  for (const [i, { kind }] of states.entries()) {
    const before = first(idOf(i), { type: kind === 'user' ? 'user' : 'person' });
    const later = next(before, kind === 'deleted' ? { deleted: true } : { properties: { n: 1 } });
    await opened.store.submit([step(null, before, later)]);
  }
  await opened.store.close();
  const db = openWriter(opened.file);
  db.run('BEGIN');
  const remote = (name: string, instance: string | null) =>
    db.insert(
      "INSERT INTO remote (name, url, secret, instance, direction) VALUES (?, 'https://a.test', 'x', ?, 'both')",
      ...[name, instance],
    );
  const others = [remote('plain other', null), remote('other node', 'other')];
  const own = [remote('plain', null), remote('node', 'own')];
  const know = 'INSERT INTO remote_entity (remote, entity, event, theirs, twin, apart) VALUES (?, ?, 0, ?, ?, ?)';
  const entities = states.map((state, i) => {
    const { key } = db.get<{ key: number }>('SELECT key FROM entity WHERE id = ?', idOf(i)) ?? { key: 0 };
    const keyed = (which: Cell) =>
      which === null
        ? null
        : (db.get<{ key: number }>('SELECT key FROM block WHERE entity = ? AND ver = ?', key, which === 'tip' ? 2 : 1)
            ?.key ?? null);
    for (const r of own) {
      db.run(know, r, key, keyed(state.theirs), keyed(state.twin), state.apart);
      if (state.intent) db.run("INSERT INTO push_intent (remote, entity, tip, content) VALUES (?, ?, '', '')", r, key);
    }
    const other = others[Number(state.otherNode)] as number;
    if (state.other !== null) db.run(know, other, key, keyed(state.other), keyed(state.other), 0);
    return key;
  });
  for (const entity of entities) notePending(db, entity);
  const kept = own.map((r) => pendingOf(db, r));
  for (const r of own) rebuildPending(db, r);
  expect(kept).toEqual(own.map((r) => pendingOf(db, r)));
  for (const entitiesThere of kept) {
    expect(entitiesThere.length).toBeGreaterThan(states.length / 4);
    expect(entitiesThere.length).toBeLessThan(states.length);
  }
  db.run('COMMIT');
  db.close();
});
