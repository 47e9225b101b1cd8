import { generateKeyPairSync, sign } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { signatureOf } from '../../src/server/jobs/signature.ts';
import { BadJobError, readJob } from '../../src/server/kit/job-request.ts';
import { signatureIssue } from '../../src/server/kit/signature.ts';
import { newNodeKey, readNodeKey } from '../../src/server/model/node-key.ts';

const key = readNodeKey(newNodeKey());
const body = '{"job_id":"job_1"}';
const bytes = Buffer.from(body);
const now = 1_771_581_600_000;
const seconds = now / 1000;
const good = signatureOf(key, body, seconds);

describe('a signature', () => {
  test('of the node is found good, whatever stands beside it', () => {
    expect(signatureIssue(good, bytes, key.publicKey, now)).toBeNull();
    const [t, v1] = good.split(',');
    expect(signatureIssue(`${v1}, ${t}, v0=old`, bytes, key.publicKey, now)).toBeNull();
  });

  test('is good for five minutes, and for a clock that is a minute behind', () => {
    expect(signatureIssue(good, bytes, key.publicKey, now + 300_000)).toBeNull();
    expect(signatureIssue(good, bytes, key.publicKey, now + 301_000)).toContain('too old');
    expect(signatureIssue(good, bytes, key.publicKey, now - 60_000)).toBeNull();
    expect(signatureIssue(good, bytes, key.publicKey, now - 61_000)).toContain('future');
  });

  test('of other bytes, another time or another key is not', () => {
    const { privateKey } = generateKeyPairSync('ed25519');
    const other = `t=${seconds},v1=${sign(null, Buffer.from(`${seconds}.${body}`), privateKey).toString('base64')}`;
    const moved = good.replace(String(seconds), String(seconds + 1));
    expect(signatureIssue(good, Buffer.from(`${body} `), key.publicKey, now)).toContain('does not match');
    expect(signatureIssue(other, bytes, key.publicKey, now)).toContain('does not match');
    expect(signatureIssue(moved, bytes, key.publicKey, now)).toContain('does not match');
    expect(signatureIssue(good, bytes, new Uint8Array(5), now)).toContain('does not match');
  });

  test.each([undefined, '', 'v1', 't=1', `t=x,v1=${'A'.repeat(86)}==`, 't=1,v1=AAAA', `t=1e3,v1=${'A'.repeat(86)}==`])(
    'that is %j is refused',
    (header) => {
      expect(signatureIssue(header, bytes, key.publicKey, now)).toMatch(/not signed|unknown form/);
    },
  );
});

describe('a job', () => {
  const job = {
    ...{ job_id: 'job_01KJ00000000000000000000A1', target_entity: 'F1', target_collection: 'T1', job_collection: 'J1' },
    ...{ api_base: 'http://127.0.0.1:8787', expires_at: '2026-02-20T11:00:00.000Z', network: 'test' },
  };

  test('keeps members that nobody knows', () => {
    const rhiza = { id: 'R1', path: ['a'], parent_logs: [], recurse_depth: 2, later: { x: 1 } };
    expect(readJob({ ...job, rhiza, more: 1 })).toEqual({ ...job, rhiza, more: 1 });
    const input = '{"__proto__":{"a":1}}';
    expect(JSON.stringify(readJob({ ...job, input: JSON.parse(input) }).input)).toBe(input);
  });

  test.each([
    null,
    [],
    'job',
    {},
    { ...job, job_id: '../etc' },
    { ...job, target_entity: undefined },
    { ...job, target_entities: [] },
    { ...job, api_base: 'file:///etc/passwd' },
    { ...job, expires_at: 'soon' },
    { ...job, network: 'other' },
    { ...job, input: [] },
    { ...job, rhiza: { id: 'R1', path: [] } },
    { ...job, rhiza: { id: 'R1', path: ['a'], batch: { id: 'B', index: -1, total: 1 } } },
  ])('%j is none', (body) => {
    expect(() => readJob(body)).toThrow(BadJobError);
  });
});
