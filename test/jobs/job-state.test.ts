import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  afterSending,
  maxAttempts,
  newSending,
  pauseBefore,
  type Sending,
  type SendingEvent,
} from '../../src/server/model/job-state.ts';

const run = (events: SendingEvent[], from: Sending = newSending): Sending => events.reduce(afterSending, from);
const sending: SendingEvent = { kind: 'sending' };

describe('the request of a job', () => {
  test('is sent once and accepted', () => {
    expect(run([sending, { kind: 'accepted' }])).toEqual({
      state: 'accepted',
      attempts: 1,
      error: null,
      retryAfter: null,
    });
  });

  test('keeps the words of a refusal', () => {
    const refused = run([sending, { kind: 'refused', error: 'no key', retryAfter: 60 }]);
    expect(refused).toMatchObject({ state: 'refused', error: 'no key', retryAfter: 60 });
    expect(run([{ kind: 'accepted' }, sending, { kind: 'restarted', local: true, begun: true }], refused)).toEqual(
      refused,
    );
  });

  test('is sent again where nobody took the connection, and not for ever', () => {
    let now = newSending;
    for (let attempt = 1; attempt < maxAttempts; attempt++) {
      now = run([sending, { kind: 'unreached', error: 'refused' }], now);
      expect(now).toMatchObject({ state: 'queued', attempts: attempt, error: 'refused' });
    }
    expect(run([sending, { kind: 'unreached', error: 'refused' }], now)).toMatchObject({
      state: 'refused',
      attempts: maxAttempts,
    });
  });

  test('that nobody waits for is sent again as often as it takes, and says why it waits', () => {
    let now = newSending;
    for (let attempt = 1; attempt <= 3 * maxAttempts; attempt++) {
      now = run([sending, { kind: 'put_back', error: 'not now', retryAfter: 60 }], now);
      expect(now).toEqual({ state: 'queued', attempts: attempt, error: 'not now', retryAfter: 60 });
    }
    expect(run([sending, { kind: 'accepted' }], now)).toMatchObject({
      state: 'accepted',
      error: null,
      retryAfter: null,
    });
  });

  test('is unknown after a restart in between, and what ran within the node begins anew', () => {
    const sent = run([sending]);
    expect(run([{ kind: 'restarted', local: false, begun: true }], sent)).toMatchObject({
      state: 'unknown',
      attempts: 1,
    });
    expect(run([{ kind: 'restarted', local: true, begun: true }], sent)).toMatchObject({
      state: 'queued',
      attempts: 1,
    });
    expect(run([{ kind: 'accepted' }, { kind: 'restarted', local: true, begun: true }], sent)).toMatchObject({
      state: 'queued',
    });
    expect(run([{ kind: 'accepted' }, { kind: 'restarted', local: false, begun: true }], sent)).toMatchObject({
      state: 'accepted',
    });
  });

  test('that only waited within the node when that stopped is begun as if it had not been sent', () => {
    let now = newSending;
    for (let i = 0; i < 2 * maxAttempts; i++)
      now = run([sending, { kind: 'accepted' }, { kind: 'restarted', local: true, begun: false }], now);
    expect(now).toEqual(newSending);
  });

  test('is not sent where the node was restored from a backup, and what has been answered stays', () => {
    const held: SendingEvent = { kind: 'held', error: 'restored' };
    expect(run([held, sending])).toMatchObject({ state: 'unknown', attempts: 0, error: 'restored' });
    const accepted = run([sending, { kind: 'accepted' }]);
    expect(run([held], accepted)).toEqual(accepted);
  });

  test('that ends the node each time it runs is given up', () => {
    let now = newSending;
    for (let i = 0; i < maxAttempts; i++)
      now = run([sending, { kind: 'accepted' }, { kind: 'restarted', local: true, begun: true }], now);
    expect(now).toMatchObject({ state: 'refused', attempts: maxAttempts });
  });

  test('is never sent again once it may have arrived, whatever happens', () => {
    const event = fc.constantFrom<SendingEvent>(
      sending,
      { kind: 'accepted' },
      { kind: 'refused', error: 'e' },
      { kind: 'unreached', error: 'e' },
      { kind: 'put_back', error: 'e' },
      { kind: 'unknown', error: 'e' },
      { kind: 'restarted', local: false, begun: true },
    );
    fc.assert(
      fc.property(fc.array(event), (events) => {
        let arrived = false;
        let now = newSending;
        for (const one of events) {
          const next = afterSending(now, one);
          if (arrived) expect(next.attempts).toBe(now.attempts);
          arrived ||= next.state === 'accepted' || next.state === 'unknown' || next.state === 'refused';
          now = next;
        }
      }),
    );
  });

  test('waits longer before each attempt', () => {
    const pauses = [0, 1, 2, 3].map(pauseBefore);
    expect(pauses[0]).toBe(0);
    expect(pauses.toSorted((a, b) => a - b)).toEqual(pauses);
    expect(new Set(pauses).size).toBe(4);
  });
});
