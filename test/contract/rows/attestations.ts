import Database from 'better-sqlite3';
import { expect } from 'vitest';
import { attestFile } from '../../../src/server/store/attest-log.ts';
import { settled } from '../../helpers/attestations.ts';
import { type Entity, invalid, lacking, update } from '../../helpers/entities.ts';
import type { Row, Scene } from '../row.ts';
import { noId, otherNetwork, placed, unknown } from './common.ts';

const ofEntity = (id: string) => `/entities/${id}/attestation`;
const ofVersion = (id: string) => `/versions/${id}/1/attestation`;

/** Two versions that a signed head covers. */
async function attested(s: Scene): Promise<[Entity, Entity]> {
  const first = await placed(s);
  const second = await update(s.node, s.owner, first, { note: 'two' });
  await settled(s.node);
  return [first, second];
}

const tx = expect.stringMatching(/^[\w-]{43}$/);

function transaction(s: Scene, body: unknown) {
  const { permastore_tx } = body as { permastore_tx: string };
  const url = `${s.node.url}/attestations/verify/${permastore_tx}`;
  return { permastore_tx: tx, permastore_url: url, arweave_tx: permastore_tx, arweave_url: url, arweave_net_url: url };
}

async function newestTx(s: Scene): Promise<string> {
  const { body } = await s.node.fetch('/attestations/head');
  return (body as { tx: string }).tx;
}

export const attestationRows: Row[] = [
  {
    route: 'GET /entities/{id}/attestation',
    auth: 'optional',
    action: 'entity:view',
    wire: '200 202 403 404',
    cases: [
      {
        name: 'attests the tip',
        status: 200,
        call: async (s) => {
          const [, { id, cid, ts }] = await attested(s);
          return { path: ofEntity(id), known: { id, pi: id, ver: 2, cid, ts, seq: expect.any(Number) } };
        },
        also: ({ body }, { known }, s) => expect(body).toEqual({ ...(known as object), ...transaction(s, body) }),
      },
      {
        name: 'a tip that no signed head covers',
        status: 202,
        call: async (s) => {
          const [, { id, cid }] = await attested(s);
          // What is signed is forgotten: on a running node a head is never far behind.
          forget(s, 'main');
          return { path: ofEntity(id), known: { id, pi: id, ver: 2, cid } };
        },
        also: ({ body }, { known }) =>
          expect(body).toEqual({
            ...(known as object),
            attestation_status: 'pending',
            message: expect.stringMatching(/will cover it/),
          }),
      },
      noId(ofEntity),
      otherNetwork(ofEntity),
      unknown(ofEntity),
    ],
  },
  {
    route: 'GET /versions/{id}/{ver}/attestation',
    auth: 'optional',
    action: 'entity:view',
    wire: '200 403 404',
    cases: [
      {
        name: 'attests an earlier version',
        status: 200,
        call: async (s) => {
          const [{ id, cid, ts }] = await attested(s);
          return { path: ofVersion(id), known: { id, pi: id, ver: 1, cid, ts, seq: expect.any(Number) } };
        },
        also: ({ body }, { known }, s) => expect(body).toEqual({ ...(known as object), ...transaction(s, body) }),
      },
      {
        name: 'a version that there is not',
        status: 404,
        call: async (s) => ({ path: `/versions/${(await placed(s)).id}/2/attestation` }),
        body: lacking('There is no such version'),
      },
      {
        name: 'version 0',
        status: 400,
        call: async (s) => ({ path: `/versions/${s.collection.id}/0/attestation` }),
        body: invalid(['ver'], 'must be at least 1'),
      },
      noId(ofVersion),
      otherNetwork(ofVersion),
      unknown(ofVersion),
    ],
  },
  {
    route: 'GET /attestations/head',
    auth: 'none',
    action: 'attestation:view',
    wire: '200 404',
    cases: [
      {
        name: 'names the last entry',
        status: 200,
        call: async (s) => {
          await attested(s);
          return { path: '/attestations/head' };
        },
        also: async ({ body }, _call, s) => {
          const { seq, tx: last } = body as { seq: number; tx: string };
          const url = `${s.node.url}/attestations/verify/${last}`;
          expect(body).toEqual({ seq, tx, permastore_url: url, arweave_url: url, arweave_net_url: url });
          const { events } = (await s.node.fetch('/events?limit=1')).body as { events: { id: number }[] };
          expect(events).toMatchObject([{ id: seq }]);
        },
      },
      {
        name: 'a network where nothing is signed yet',
        status: 404,
        call: async (s) => {
          await settled(s.node, 'test');
          forget(s, 'test');
          return { path: '/attestations/head', headers: { 'X-Arke-Network': 'test' } };
        },
        body: lacking('Nothing is attested yet'),
      },
    ],
  },
  {
    route: 'GET /attestations/verify/{tx}',
    auth: 'none',
    action: 'attestation:verify',
    wire: '200 404',
    cases: [
      {
        name: 'tells what was attested, and whether it is still so',
        status: 200,
        call: async (s) => {
          const [first, second] = await attested(s);
          return { path: `/attestations/verify/${await newestTx(s)}`, known: [first, second] };
        },
        also: ({ body }, { known, path }) => {
          const [first, second] = known as [Entity, Entity];
          const hash = path.split('/').at(-1);
          const { id, cid, ts } = second;
          expect(body).toEqual({
            permastore_tx: hash,
            arweave_tx: hash,
            attestation: {
              ...{ id, pi: id, ver: 2, cid, op: 'U', vis: 'pub', prev_cid: first.cid, ts },
              seq: expect.any(Number),
            },
            cid_valid: true,
            manifest_preview: { type: 'document' },
          });
        },
      },
      {
        name: 'an unknown hash',
        status: 404,
        call: () => ({ path: `/attestations/verify/${'A'.repeat(43)}` }),
        body: lacking('There is no such attestation'),
      },
      {
        name: 'no hash',
        status: 404,
        call: () => ({ path: '/attestations/verify/none' }),
        body: lacking('There is no such attestation'),
      },
    ],
  },
  {
    route: 'GET /.well-known/signing-key',
    auth: 'none',
    action: null,
    wire: '200',
    cases: [
      {
        name: 'is an Ed25519 key',
        status: 200,
        call: () => ({ path: '/.well-known/signing-key' }),
        also: ({ body }) => {
          const { public_key, key_id } = body as { public_key: string; key_id: string };
          expect(body).toEqual({ public_key, algorithm: 'Ed25519', key_id });
          expect(Buffer.from(public_key, 'base64')).toHaveLength(32);
          expect(key_id).toMatch(/^[0-9a-f]{16}$/);
        },
      },
    ],
  },
];

/** Takes away the heads that a network has signed; the next one comes with the next commit. */
function forget({ node }: Scene, network: 'main' | 'test'): void {
  const db = new Database(attestFile(`${node.data}/${network}`));
  db.exec('DELETE FROM head');
  db.close();
}
