import { createHash, createPublicKey, verify } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { settled } from '../helpers/attestations.ts';
import { ask } from '../helpers/callers.ts';
import { create, ok, remove, update } from '../helpers/entities.ts';
import { chainOf, read, startCurated, sync, tipsOf } from '../sync/nodes.ts';

// As somebody else would write it who has docs/attestations.md alone.

type Member = string | number | null;
interface Proof {
  head: Record<string, Member> & { size: number; root: string; signature: string };
  leaf: Record<string, Member> & { seq: number; ver: number };
  path: string[];
  public_key: string;
}

/** RFC 8785 of an object of texts and numbers. */
const canonical = (value: Record<string, Member>) => JSON.stringify(value, Object.keys(value).sort());
const hash = (prefix: number, ...parts: Buffer[]) =>
  createHash('sha256')
    .update(Buffer.concat([Buffer.of(prefix), ...parts]))
    .digest();

/** The root by RFC 9162, 2.1.3.2, which is that of RFC 6962 in steps. */
function rootOf({ head, leaf, path }: Proof): string {
  let [at, last] = [leaf.seq - 1, head.size - 1];
  let node = hash(0, Buffer.from(canonical(leaf)));
  for (const text of path) {
    const other = Buffer.from(text, 'base64url');
    if (last === 0) return 'the path is too long';
    if (at % 2 === 1 || at === last) {
      node = hash(1, other, node);
      while (at % 2 === 0 && at > 0) [at, last] = [at / 2, Math.floor(last / 2)];
    } else node = hash(1, node, other);
    [at, last] = [Math.floor(at / 2), Math.floor(last / 2)];
  }
  return last === 0 ? node.toString('base64url') : 'the path is too short';
}

function isSigned({ head: { signature, ...head }, public_key }: Proof): boolean {
  const x = Buffer.from(public_key, 'base64').toString('base64url');
  const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
  return verify(null, Buffer.from(canonical(head)), key, Buffer.from(signature, 'base64url'));
}

const step = fc.record({ here: fc.boolean(), name: fc.constantFrom('a', 'b'), n: fc.nat(9), syncs: fc.boolean() });

test('what two nodes made, merged and deleted is proved by each to whoever has the docs alone', async () => {
  await using pair = await startCurated();
  const { origin, mirror, curator, here, place, work } = pair;
  const [steps = []] = fc.sample(fc.array(step, { minLength: 12, maxLength: 16 }), { seed: 5, numRuns: 1 });
  for (const { here: isHere, name, n, syncs } of steps) {
    const [node, who] = isHere ? [mirror, here] : [origin, curator];
    await create(node, who, { collection: place.id, properties: { n } });
    // In a place of its own on each side, so that both are merged.
    await update(node, who, await read(node, who, work.id), { properties: { [name + (isHere ? 1 : 2)]: n } });
    if (syncs) await sync(mirror, here);
  }
  await remove(mirror, here, await create(mirror, here, { collection: place.id }));
  await sync(mirror, here);
  let proved = 0;
  for (const [node, who] of [[origin, curator] as const, [mirror, here] as const]) {
    await settled(node);
    for (const id of Object.keys(await tipsOf(node)))
      for (const [ver, cid] of await chainOf(node, id)) {
        const answer = await ask(node, who, `GET /node/attestations/proof?id=${id}&ver=${ver}`);
        // It came together with a later one, whose entry is of both.
        if (answer.status === 404) continue;
        const proof = ok<Proof>(answer);
        expect(proof.leaf).toMatchObject({ pi: id, ver, cid });
        expect([rootOf(proof), isSigned(proof)]).toEqual([proof.head.root, true]);
        proved++;
      }
  }
  expect(proved).toBeGreaterThan(30);
});
