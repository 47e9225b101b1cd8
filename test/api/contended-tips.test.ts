import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { EventsView } from '../../src/server/resources/events/wire.ts';
import type { VersionsView } from '../../src/server/resources/versions/wire.ts';
import { ask, operator, type Person } from '../helpers/callers.ts';
import { collection, create, type Entity, ok } from '../helpers/entities.ts';
import { type Answer, startNode, type TestNode } from '../helpers/node.ts';

// Requests that change the same few entities at once, made from the same tips; what they were answered has to make one history.

const verbs = ['update', 'update', 'delete', 'restore', 'link'] as const;
interface Move {
  verb: (typeof verbs)[number];
  /** Which entity, and for a link to which other one. */
  at: number;
  to: number;
}
const move = fc.record({ verb: fc.constantFrom(...verbs), at: fc.nat(2), to: fc.nat(1) });
const rounds = fc.array(fc.array(move, { minLength: 2, maxLength: 6 }), { minLength: 3, maxLength: 5 });

/** What was answered with success: the tip that it was made from, and the version that it made. */
interface Won {
  id: string;
  from: string;
  cid: string;
  ver: number;
}

const tipOf = async (node: TestNode, who: Person, id: string): Promise<string> =>
  ok<{ cid: string }>(await ask(node, who, `GET /entities/${id}/tip`)).cid;

function send(node: TestNode, who: Person, verb: string, [id, from]: [string, string], [other, tip]: [string, string]) {
  const body = { expect_tip: from };
  const pair = { source_id: id, target_id: other, expect_source_tip: from, expect_target_tip: tip };
  if (verb === 'update') return ask(node, who, `PUT /entities/${id}`, { ...body, properties: { from } });
  if (verb === 'delete') return ask(node, who, `DELETE /entities/${id}`, body);
  if (verb === 'restore') return ask(node, who, `POST /entities/${id}/restore`, body);
  return ask(node, who, 'POST /relationships', { ...pair, source_predicate: 'sees', target_predicate: 'is_seen_by' });
}

/** The versions that an answer says it made. */
function madeBy({ status, body }: Answer, from: ReadonlyMap<string, string>): Won[] {
  if (status !== 200 && status !== 201) return [];
  const { source, target } = body as { source?: Entity; target?: Entity };
  const made = source && target ? [source, target] : [body as Entity];
  // Of a pair that was linked already nothing is written anew.
  return made
    .filter(({ id, prev_cid }) => prev_cid === from.get(id))
    .map(({ id, cid, ver }) => ({ id, from: from.get(id) ?? '', cid, ver }));
}

async function historyOf(node: TestNode, who: Person, id: string): Promise<{ ver: number; cid: string }[]> {
  const versions: VersionsView['versions'] = [];
  for (let from = ''; ; ) {
    const page = ok<VersionsView>(await ask(node, who, `GET /versions/${id}${from}`));
    versions.push(...page.versions);
    if (!page.has_more) return versions.reverse().map(({ ver, cid }) => ({ ver, cid }));
    from = `?from=${page.next_cursor}`;
  }
}

test('of those who change one version one wins, and all that was answered is one history', async () => {
  // So that the next request is read while one is written.
  await using node = await startNode({ writer: 'thread' });
  const who = operator(node);
  const { id: home } = await collection(node, who);
  const play = async (lists: Move[][]) => {
    const ids: string[] = [];
    for (const _ of verbs.slice(0, 3)) ids.push((await create(node, who, { collection: home })).id);
    const won: Won[] = [];
    for (const moves of lists) {
      const from = new Map<string, string>();
      for (const id of ids) from.set(id, await tipOf(node, who, id));
      const one = (n: number): [string, string] => [ids[n] ?? '', from.get(ids[n] ?? '') ?? ''];
      const answers = moves.map(({ verb, at, to }) => send(node, who, verb, one(at), one((at + to + 1) % 3)));
      for (const answer of await Promise.all(answers)) {
        expect([200, 201, 400, 404, 409]).toContain(answer.status);
        won.push(...madeBy(answer, from));
      }
      for (const { id, cid } of won.filter((last) => last.from === from.get(last.id)))
        expect(await tipOf(node, who, id)).toBe(cid);
    }
    const feed = ok<EventsView>(await ask(node, who, 'GET /events?limit=1000')).events.reverse();
    for (const id of ids) {
      const history = await historyOf(node, who, id);
      expect(history.map(({ ver }) => ver)).toEqual(history.map((_, n) => n + 1));
      expect(feed.filter(({ pi }) => pi === id).map(({ cid }) => cid)).toEqual(history.map(({ cid }) => cid));
      const mine = won.filter((one) => one.id === id);
      expect(new Set(mine.map(({ from }) => from)).size).toBe(mine.length);
      for (const { cid, ver } of mine) expect(history).toContainEqual({ ver, cid });
      expect(mine.length).toBe(history.length - 1);
    }
  };
  await fc.assert(fc.asyncProperty(rounds, play), { numRuns: 10, seed: 59, endOnFailure: true });
});
