import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isSignedHead, type SignedHead } from '../../src/server/attest/head.ts';
import { hashBytes } from '../../src/server/attest/leaf.ts';
import { isConsistent } from '../../src/server/attest/merkle.ts';
import { checkProof } from '../../src/server/attest/proof.ts';
import type { AttestationView, ConsistencyView, ProofView } from '../../src/server/resources/attestations/wire.ts';
import { settled } from '../helpers/attestations.ts';
import { anonymous, ask, impostor, on, type Person, user } from '../helpers/callers.ts';
import {
  create,
  type Entity,
  invalid,
  lacking,
  notFound,
  nowhere,
  ok,
  onTest,
  remove,
  update,
} from '../helpers/entities.ts';
import { startNode, type TestNode } from '../helpers/node.ts';
import { first, idOf, next, step } from '../helpers/store.ts';

let node: TestNode;
let ada: Person;
let history: [Entity, Entity, Entity];
beforeAll(async () => {
  node = await startNode({ env: { ARCHEION_PUBLIC_URL: 'https://node.example/base/' } });
  ada = await user(node, 'ada');
  const one = await create(node, ada, { properties: { label: 'one', big: 'x'.repeat(5000) } });
  const two = await update(node, ada, one, { properties: { label: 'two' } });
  history = [one, two, await update(node, ada, two, { properties: { label: 'three' } })];
  await settled(node);
});
afterAll(() => node[Symbol.asyncDispose]());

async function get<T = Record<string, unknown>>(path: string, who: Person = anonymous): Promise<T> {
  return ok<T>(await ask(node, who, `GET ${path}`));
}

async function refused(path: string, who: Person = anonymous): Promise<[number, unknown]> {
  const { status, body } = await ask(node, who, `GET ${path}`);
  return [status, body];
}

const attestation = (id: string, ver: number) => get<AttestationView>(`/versions/${id}/${ver}/attestation`);

describe('an attestation', () => {
  it('names an address under which it is verified, under the public URL', async () => {
    const { permastore_tx, permastore_url } = await attestation(history[1].id, 2);
    expect(permastore_url).toBe(`https://node.example/base/attestations/verify/${permastore_tx}`);
  });

  it('of every version leads to that version', async () => {
    for (const { id, ver, cid, prev_cid, ts } of history) {
      const { permastore_tx } = await attestation(id, ver);
      expect(await get(`/attestations/verify/${permastore_tx}`)).toMatchObject({
        attestation: { id, ver, cid, prev_cid: prev_cid ?? null, op: ver === 1 ? 'C' : 'U' },
        cid_valid: true,
      });
      expect(ts).toBeGreaterThan(0);
    }
  });

  it('of a deleted entity is that of its tombstone, and the earlier ones stay', async () => {
    const made = await create(node, ada);
    const grave = await remove(node, ada, made);
    await settled(node);
    expect(await get(`/entities/${made.id}/attestation`)).toMatchObject({ ver: 2, cid: grave.cid });
    expect(await attestation(made.id, 1)).toMatchObject({ cid: made.cid });
    const { permastore_tx } = await attestation(made.id, 2);
    expect(await get(`/attestations/verify/${permastore_tx}`)).toMatchObject({
      cid_valid: true,
      manifest_preview: { type: 'document' },
    });
  });

  it('comes by itself within a second or two', async () => {
    const made = await create(node, ada);
    const path = `/entities/${made.id}/attestation`;
    let answer = await ask(node, anonymous, `GET ${path}`);
    while (answer.status === 202) {
      expect(answer.body).toMatchObject({ pi: made.id, ver: 1, cid: made.cid, attestation_status: 'pending' });
      await new Promise((resolve) => setTimeout(resolve, 20));
      answer = await ask(node, anonymous, `GET ${path}`);
    }
    expect(ok(answer)).toMatchObject({ pi: made.id, ver: 1, cid: made.cid });
  });

  it('is of one network', async () => {
    const test = on('test', ada);
    const made = await create(node, test);
    await settled(node, 'test');
    const { permastore_tx } = ok<AttestationView>(await ask(node, test, `GET /entities/${made.id}/attestation`));
    const verify = `GET /attestations/verify/${permastore_tx}`;
    expect((await ask(node, test, verify)).status).toBe(200);
    expect((await ask(node, ada, verify)).status).toBe(404);
  });

  it('is refused to wrong credentials', async () => {
    for (const path of [`entities/${nowhere}/attestation`, 'attestations/head', 'node/attestations/head'])
      expect((await refused(`/${path}`, impostor))[0]).toBe(401);
  });
});

describe('a version that came with later ones', () => {
  it('has no attestation of its own, and is told which covers it', async () => {
    await using other = await startNode();
    const one = first(idOf(77), { properties: { label: 'mirrored' } });
    const two = next(one, { properties: { label: 'mirrored again' } });
    const store = await other.ctx.networks.get('main');
    await store.submit([step(null, one, two)]);
    await settled(other);
    const answer = await other.fetch(`/versions/${one.id}/1/attestation`);
    expect([answer.status, answer.body]).toEqual([
      404,
      lacking(expect.stringMatching(/^Version 1 was never the tip here/), { next_attested: 2 }),
    ]);
    expect((await other.fetch(`/versions/${one.id}/2/attestation`)).body).toMatchObject({ cid: two.cid });
  });
});

describe('the signed head', () => {
  it('is signed by the key of the node', async () => {
    const head = await get<SignedHead>('/node/attestations/head');
    const { public_key, key_id } = await get<{ public_key: string; key_id: string }>('/.well-known/signing-key');
    expect(head).toMatchObject({ key_id, network: 'main', instance: node.ctx.instance });
    const key = Buffer.from(public_key, 'base64');
    expect(isSignedHead(head, key)).toBe(true);
    for (const other of [{ size: head.size + 1 }, { network: 'test' as const }, { time: 0 }, { root: 'A'.repeat(43) }])
      expect(isSignedHead({ ...head, ...other }, key)).toBe(false);
    expect(isSignedHead(head, new Uint8Array(32))).toBe(false);
  });

  it('is shown to be a continuation of every earlier one', async () => {
    const older = await get<SignedHead>('/node/attestations/head');
    await create(node, ada);
    await settled(node);
    const newer = await get<SignedHead>('/node/attestations/head');
    const proof = await get<ConsistencyView>(`/node/attestations/consistency?from=${older.size}&to=${newer.size}`);
    expect([proof.from_root, proof.to_root]).toEqual([older.root, newer.root]);
    for (let from = 1; from <= newer.size; from++) {
      const { from_root, to_root, path } = await get<ConsistencyView>(`/node/attestations/consistency?from=${from}`);
      const bytes = (text: string) => hashBytes(text) ?? new Uint8Array();
      const [before, after] = [
        { size: from, root: bytes(from_root) },
        { size: newer.size, root: bytes(to_root) },
      ];
      expect(isConsistent(before, after, path.map(bytes))).toBe(true);
    }
  });

  it.each([
    ['from=0', ['from'], 'must be at least 1'],
    ['from=1&to=1000000', ['to'], expect.stringMatching(/^must be at most \d+, the size of the newest head$/)],
    ['from=3&to=2', ['from'], 'must be at most 2, the size of the later head'],
    ['from=1.5', ['from'], expect.any(String)],
  ])('has no consistency with %s', async (query, path, message) => {
    expect(await refused(`/node/attestations/consistency?${query}`)).toEqual([400, invalid(path, message)]);
  });
});

describe('a proof', () => {
  it('of each version, by entity or by transaction, holds without the node', async () => {
    const { public_key, key_id } = await get<{ public_key: string; key_id: string }>('/.well-known/signing-key');
    for (const { id, ver, cid } of history) {
      const proof = await get<ProofView>(`/node/attestations/proof?id=${id}&ver=${ver}`);
      expect(proof.leaf).toMatchObject({ pi: id, ver, cid });
      const { permastore_tx } = await attestation(id, ver);
      expect(await get(`/node/attestations/proof?tx=${permastore_tx}`)).toEqual(proof);
      for (const key of [null, public_key, key_id]) expect(checkProof(proof, key)).toMatchObject({ ok: true });
    }
    expect((await get<ProofView>(`/node/attestations/proof?id=${history[0].id}`)).leaf.ver).toBe(3);
  });

  it('says what it is asked for', async () => {
    const [{ id }] = history;
    const needed = invalid([], 'either `id`, with or without `ver`, or `tx` is needed');
    expect(await refused('/node/attestations/proof')).toEqual([400, needed]);
    expect(await refused(`/node/attestations/proof?id=${id}&tx=x`)).toEqual([400, needed]);
    expect(await refused('/node/attestations/proof?tx=x&ver=1')).toEqual([400, needed]);
    expect(await refused(`/node/attestations/proof?id=${onTest}`)).toEqual([400, invalid(['id'], expect.any(String))]);
    expect(await refused(`/node/attestations/proof?id=${nowhere}`)).toEqual([404, notFound]);
    expect(await refused(`/node/attestations/proof?id=${id}&ver=4`)).toEqual([
      404,
      lacking('There is no such version'),
    ]);
    expect(await refused('/node/attestations/proof?tx=none')).toEqual([404, lacking('There is no such attestation')]);
  });
});
