import { expect, test } from 'vitest';
import { failureOf, saidOf, sentenceOf } from '../../src/renderer/src/api/failure.ts';

test('a failure says the reason that stands below the heading, once', () => {
  const body = { error: 'Entity not found', details: { reason: 'There is no such role' } };
  expect(failureOf(404, body)).toMatchObject({ kind: 'missing', message: 'Entity not found: There is no such role' });
  expect(failureOf(404, { error: 'Entity not found', details: { reason: 5 } }).message).toBe('Entity not found');
  const reason = 'The file ends within its header.';
  const whole = `The archive is damaged at byte 1: ${reason}`;
  expect(failureOf(400, { error: whole, details: { reason, offset: 1 } }).message).toBe(whole);
  expect(failureOf(500, undefined).message).toBe('HTTP 500');
});

test('only what was made from another tip was changed by somebody else; any other refusal is in the node’s words', () => {
  const overtaken = failureOf(409, { error: 'Conflict: entity was modified', details: { expected: 'a', actual: 'b' } });
  expect(overtaken.kind).toBe('conflict');
  expect(saidOf(overtaken)).toBe(null);
  const busy = failureOf(409, { error: 'A sync with museum is under way.' });
  expect(busy).toMatchObject({ kind: 'invalid', message: 'A sync with museum is under way.' });
  expect(saidOf(busy)).toBe('A sync with museum is under way.');
});

test('what does not answer elsewhere is not told as a fault of the node, unless a proxy says so of the node', () => {
  const error = 'museum.example cannot be read: connect ECONNREFUSED';
  const remote = failureOf(502, { error });
  expect([sentenceOf(remote), saidOf(remote)]).toEqual(['failure.elsewhere', error]);
  expect(sentenceOf(failureOf(502, '<h1>Bad Gateway</h1>'))).toBe('failure.broken');
});

test('what is in the way on the node is said by the page, where that knows what it is', () => {
  const error = 'A backup is under way on this node: try again when it has ended.';
  const known = failureOf(503, { error, details: { under_way: 'backup' } });
  expect([known.kind, sentenceOf(known), saidOf(known)]).toEqual(['unavailable', 'failure.under-way.backup', null]);
  const beside = failureOf(409, { error: 'Another import is under way', details: { under_way: 'other_import' } });
  expect([beside.kind, sentenceOf(beside), saidOf(beside)]).toEqual([
    ...['unavailable', 'failure.under-way.other_import', null],
  ]);
  const plain = failureOf(503, { error });
  expect([sentenceOf(plain), saidOf(plain)]).toEqual(['failure.unavailable', error]);
  const other = failureOf(503, { error, details: { under_way: 'a dance' } });
  expect([sentenceOf(other), saidOf(other)]).toEqual(['failure.broken', error]);
});

test('of a request that is wrong in several places the node’s words on each are said', () => {
  const issues = ['is no text', 'is missing'].map((message) => ({ path: ['properties'], message }));
  expect(saidOf(failureOf(400, { error: 'Validation failed', details: { issues } }))).toBe('is no text; is missing');
  expect(saidOf(new Error('odd'))).toBe('odd');
  expect(saidOf('odd')).toBe(null);
});
