import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type EntityEvent,
  type EntityState,
  entityStep,
  intentOf,
  type Relation,
  type Version,
} from '../../src/server/sync/state.ts';
import { unrelated as plain } from './unrelated.ts';

const unknownEntity: EntityState = { local: null, theirs: null, twin: null, base: null, standing: 'quiet' };

function version(cid: string, content = cid, ver = 1): Version {
  return { cid, ver, content, deleted: content === 'deleted' };
}

function following(...events: EntityEvent[]): EntityState {
  return events.reduce(entityStep, unknownEntity);
}

const seen = (it: Version, relation: Partial<Relation> = {}): EntityEvent => ({
  kind: 'seen',
  version: it,
  relation: { ...plain, ...relation },
});
const edited = (it: Version): EntityEvent => ({ kind: 'edited', version: it });

describe('an entity', () => {
  test('that is not here is taken over', () => {
    expect(following(seen(version('r1')))).toMatchObject({ local: { cid: 'r1' }, twin: 'r1', standing: 'quiet' });
  });

  test('without edits follows the remote, also onto another chain', () => {
    expect(following(seen(version('r1')), seen(version('x1')))).toMatchObject({
      local: { cid: 'x1' },
      standing: 'quiet',
    });
  });

  test('with edits is pushed while the remote stands still', () => {
    const state = following(seen(version('r1')), edited(version('l2')), seen(version('r1')));
    expect(state).toMatchObject({ local: { cid: 'l2' }, standing: 'quiet' });
    expect(intentOf(state)).toBe('update');
  });

  test('with edits on both sides is a conflict over the last common version', () => {
    const state = following(seen(version('r1')), edited(version('l2')), seen(version('r2')));
    expect(state).toMatchObject({ local: { cid: 'l2' }, theirs: { cid: 'r2' }, base: 'r1', standing: 'conflict' });
    expect(intentOf(state)).toBe('none');
    expect(entityStep(state, seen(version('r3')))).toMatchObject({
      theirs: { cid: 'r3' },
      base: 'r1',
      standing: 'conflict',
    });
  });

  test('with equal edits on both sides takes the version of a plain remote', () => {
    const state = following(seen(version('r1')), edited(version('l2', 'same')), seen(version('r2', 'same')));
    expect(state).toMatchObject({ local: { cid: 'r2' }, twin: 'r2', standing: 'quiet' });
  });

  test('that is met anew with edits over what the remote has is pushed, or is a conflict over what both had', () => {
    const over = following(edited(version('l2')), seen(version('r1'), { ahead: true, common: 'r1' }));
    expect(over).toMatchObject({ local: { cid: 'l2' }, twin: 'r1', standing: 'quiet' });
    expect(intentOf(over)).toBe('update');
    const apart = following(edited(version('l2')), seen(version('r2'), { common: 'r1' }));
    expect(apart).toMatchObject({ local: { cid: 'l2' }, base: 'r1', standing: 'conflict' });
  });

  test('whose conflict is edited into what the remote says is settled', () => {
    const state = following(
      seen(version('r1')),
      edited(version('l2')),
      seen(version('r2', 'new')),
      edited(version('l3', 'new')),
    );
    expect(intentOf(state)).toBe('same');
  });

  test('that was edited while its push was answered stays pending over its twin', () => {
    const state = following(
      ...[seen(version('r1')), edited(version('l2')), { kind: 'sending' } as const, edited(version('l3'))],
      { kind: 'answered', version: version('r2', 'l2'), sent: 'l2' },
    );
    expect(state).toMatchObject({ local: { cid: 'l3' }, theirs: { cid: 'r2' }, twin: 'l2' });
    expect(intentOf(state)).toBe('update');
  });

  test('whose answer was lost is asked for before anything is sent again', () => {
    const sending = following(seen(version('r1')), edited(version('l2')), { kind: 'sending' });
    expect(intentOf(sending)).toBe('ask');
    expect(intentOf(entityStep(sending, seen(version('r1'))))).toBe('update');
    const arrived = entityStep(sending, seen(version('r2', 'l2')));
    expect(arrived).toMatchObject({ local: { cid: 'r2' }, standing: 'quiet' });
    const buried = entityStep(sending, seen(version('r3'), { echoes: true }));
    expect(buried).toMatchObject({ local: { cid: 'r3' }, standing: 'quiet' });
  });

  test('whose answer was lost and that was edited on is pushed further', () => {
    const sending = following(seen(version('r1')), edited(version('l2')), { kind: 'sending' }, edited(version('l3')));
    const arrived = entityStep(sending, seen(version('l2'), { ahead: true }));
    expect(arrived).toMatchObject({ local: { cid: 'l3' }, theirs: { cid: 'l2' }, twin: 'l2', standing: 'quiet' });
    expect(intentOf(arrived)).toBe('update');
    const apart = entityStep(sending, seen(version('l2')));
    expect(apart).toMatchObject({ base: 'r1', standing: 'conflict' });
    expect(entityStep(apart, seen(version('l2'), { ahead: true }))).toEqual(arrived);
  });

  test('whose answer was lost is asked for, also where it was edited back into what the remote had said before', () => {
    const first = version('r1', 'x');
    const edits = [edited(version('l2', 'deleted', 2)), { kind: 'sending' } as const, edited(version('l3', 'x', 3))];
    const sending = following(seen(first), ...edits);
    expect(intentOf(sending)).toBe('ask');
    // It did arrive: what was made of it here meanwhile goes out.
    const arrived = entityStep(sending, seen(version('l2', 'deleted', 2), { ahead: true }));
    expect(arrived).toMatchObject({ local: { cid: 'l3' }, twin: 'l2', standing: 'quiet' });
    expect(intentOf(arrived)).toBe('restore');
  });

  test('that a node has gone back below, and that says the same again, goes out as it is, whatever comes of it there', () => {
    const back = seen(version('n1', 'x'), { ahead: true, node: true });
    const state = following(
      seen(version('r1', 'x')),
      edited(version('l2', 'y', 2)),
      edited(version('l3', 'x', 3)),
      back,
    );
    expect(state).toMatchObject({ local: { cid: 'l3' }, theirs: { cid: 'n1' }, twin: 'n1', standing: 'quiet' });
    expect(intentOf(state)).toBe('prefer');
    const on = entityStep(state, seen(version('n2', 'y', 2), { ahead: true, node: true }));
    expect(on).toMatchObject({ local: { cid: 'l3' }, twin: 'n2', standing: 'quiet' });
    expect(intentOf(on)).toBe('update');
  });

  test('that somebody has changed back, and that was edited here, is a conflict over what both had', () => {
    const state = following(seen(version('l2', 'y', 2)), edited(version('l3', 'z', 3)));
    const back = { ahead: true, back: true, node: true };
    const undone = entityStep(state, seen(version('r1', 'x'), back));
    expect(undone).toMatchObject({ local: { cid: 'l3' }, theirs: { cid: 'r1' }, base: 'l2', standing: 'conflict' });
    // Not where the other side has forgotten what came after, or says the same by an older version.
    for (const event of [seen(version('r1', 'x'), { ...back, reset: true }), seen(version('r1', 'y'), back)])
      expect(entityStep(state, event)).toMatchObject({ local: { cid: 'l3' }, twin: 'r1', standing: 'quiet' });
  });

  test('that a node says by another version, while the tip here is of a remote that keeps to its own, is left at that', () => {
    const state = following(seen(version('r1', 'x')));
    const apart = entityStep(state, seen(version('n2', 'x', 2), { node: true, elsewhere: true }));
    expect(apart).toMatchObject({ local: { cid: 'r1' }, theirs: { cid: 'n2' }, twin: 'r1', standing: 'quiet' });
  });

  test('of which a part has been pushed has no version that says what the remote says', () => {
    const sending = following(seen(version('r1')), edited(version('l2')), { kind: 'sending' });
    const state = entityStep(sending, { kind: 'answered', version: version('r2', 'part'), sent: null });
    expect(state).toMatchObject({ local: { cid: 'l2' }, theirs: { cid: 'r2' }, twin: null, standing: 'quiet' });
    expect(intentOf(state)).toBe('update');
    const moved = entityStep(state, seen(version('r3', 'theirs')));
    expect(moved).toMatchObject({ local: { cid: 'l2' }, base: 'r2', standing: 'conflict' });
  });

  test('that says the same as a version which nodes hand round keeps to the one to keep, until something else is said', () => {
    const kept = version('a', 'x');
    const state = following(seen(kept), seen(version('b', 'x'), { node: true, returns: true }));
    expect(state).toMatchObject({ local: kept, theirs: { cid: 'b' }, twin: 'a', standing: 'quiet' });
    expect(entityStep(state, seen(version('c', 'y', 2), { node: true }))).toMatchObject({ local: { cid: 'c' } });
    expect(entityStep(state, seen(version('d', 'x'), { node: true }))).toMatchObject({ local: { cid: 'd' } });
  });

  test('that two remotes say by versions of their own is left at that', () => {
    const state = following(seen(version('r1', 'x')), edited(version('l2', 'x')), { kind: 'apart' });
    expect(state).toMatchObject({ local: { cid: 'l2' }, theirs: { cid: 'r1' }, twin: 'l2', standing: 'quiet' });
    const on = entityStep(state, seen(version('r2', 'y')));
    expect(on).toMatchObject({ local: { cid: 'r2' }, twin: 'r2' });
  });

  test('that was refused is tried again once it has been edited', () => {
    const refused = following(seen(version('r1')), edited(version('l2')), { kind: 'refused' });
    expect(intentOf(refused)).toBe('none');
    expect(intentOf(entityStep(refused, edited(version('l3'))))).toBe('update');
  });

  test.each([
    ['create', following(edited(version('l1')))],
    ['none', following(edited(version('l1')), edited(version('l2', 'deleted')))],
    ['delete', following(seen(version('r1')), edited(version('l2', 'deleted')))],
    ['restore', following(seen(version('r1', 'deleted')), edited(version('l2')))],
    ['none', following(seen(version('r1')), { kind: 'unreadable' })],
  ])('is to be pushed by: %s', (intent, state) => {
    expect(intentOf(state)).toBe(intent);
  });

  test("two nodes that took each other's equal version come to keep the same one", () => {
    const a = version('a2', 'same', 2);
    const b = version('b3', 'same', 3);
    const atA = following(edited(a), seen(b, { node: true }));
    const atB = following(edited(b), seen(a, { node: true }));
    expect(atA.local?.cid).toBe('b3');
    expect(atB.local?.cid).toBe('b3');
  });
});

/** Contents are few, so that equal ones meet; CIDs are never made twice. */
const steps = fc.array(
  fc.oneof(
    fc.record({ kind: fc.constant('edited' as const), content: fc.constantFrom('x', 'y', 'z', 'deleted') }),
    fc.record({
      kind: fc.constant('seen' as const),
      content: fc.constantFrom('x', 'y', 'z', 'deleted'),
      node: fc.boolean(),
    }),
    fc.record({ kind: fc.constant('still' as const), node: fc.boolean() }),
    fc.record({
      kind: fc.constantFrom('sending' as const, 'answered' as const, 'refused' as const, 'unreadable' as const),
    }),
  ),
  { maxLength: 30 },
);

type Step = typeof steps extends fc.Arbitrary<(infer S)[]> ? S : never;

function eventOf(state: EntityState, step: Step, i: number): EntityEvent | null {
  switch (step.kind) {
    case 'edited':
      return edited(version(`l${i}`, step.content, (state.local?.ver ?? 0) + 1));
    case 'seen':
      return seen(version(`r${i}`, step.content, (state.theirs?.ver ?? 0) + 1), { node: step.node });
    case 'still':
      return state.theirs && seen(state.theirs, { node: step.node });
    case 'answered':
      return state.local && { kind: 'answered', version: version(`r${i}`, state.local.content), sent: state.local.cid };
    default:
      return { kind: step.kind };
  }
}

describe('whatever happens', () => {
  const run = (check: (before: EntityState, event: EntityEvent, next: EntityState) => void) =>
    fc.assert(
      fc.property(steps, (list) => {
        let state = unknownEntity;
        for (const [i, step] of list.entries()) {
          const event = eventOf(state, step, i);
          if (!event) continue;
          const next = entityStep(state, event);
          check(state, event, next);
          state = next;
        }
      }),
      { numRuns: 1000 },
    );

  test('E1: an edit that the remote does not have stays the tip', () => {
    run((before, event, next) => {
      const unsaid =
        before.local !== null && before.local.cid !== before.twin && before.local.content !== next.theirs?.content;
      if (event.kind === 'seen' && unsaid) expect(next.local).toEqual(before.local);
      if (event.kind === 'answered' && unsaid && event.sent !== before.local?.cid)
        expect(next.local).toEqual(before.local);
    });
  });

  test('E2: equal contents are never a conflict', () => {
    run((_before, event, next) => {
      if (event.kind === 'seen' && next.local?.content === next.theirs?.content)
        expect(next.standing).not.toBe('conflict');
    });
  });

  test('E3: nothing is sent while an answer is open, a conflict stands or a refusal holds', () => {
    run((_before, event, next) => {
      const held = event.kind === 'sending' || next.standing === 'conflict' || next.standing === 'refused';
      if (held) expect(['none', 'ask', 'same']).toContain(intentOf(next));
      if (next.standing === 'sending') expect(['none', 'ask']).toContain(intentOf(next));
    });
  });

  test('E4: where the tip is the twin, nothing is to be done but to agree on one version', () => {
    run((_before, _event, next) => {
      if (next.standing !== 'quiet' || !next.local || next.local.cid !== next.twin) return;
      expect(intentOf(next)).toBe(next.local.cid === next.theirs?.cid ? 'none' : 'prefer');
    });
  });

  test('E5: events leave the state that they were given as it was', () => {
    run((before, event) => {
      const copy = structuredClone(before);
      entityStep(before, event);
      expect(before).toEqual(copy);
    });
  });
});
