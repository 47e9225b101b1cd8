import { expect } from 'vitest';
import { ask } from '../../helpers/callers.ts';
import { conflict, type Entity, invalid, lacking, read } from '../../helpers/entities.ts';
import { cidOf, put, text } from '../../helpers/files.ts';
import type { Case, Row, Scene } from '../row.ts';
import { denied, gone, noId, otherNetwork, type Path, placed, stale, unknown } from './common.ts';
import { later, served } from './files.ts';

const content: Path = (id) => `/entities/${id}/content`;
const keyed: Path = (id) => `${content(id)}?key=v1`;
const hello = cidOf('hello');
const uploadBody = { cid: hello, content_type: 'text/plain', size: 5 };
const rename = { old_key: 'v1', new_key: 'v2' };
const completion = { key: 'v1', ...uploadBody };
const uploadUrl: Path = (id) => `${content(id)}/upload-url`;
const complete: Path = (id) => `${content(id)}/complete`;

/** An entity with `hello` under `v1`. */
async function holding(s: Scene): Promise<Entity> {
  const { id } = await placed(s);
  await put(s.node, s.owner, id, 'v1', 'hello');
  return read(s.node, s.owner, id);
}

async function received(s: Scene): Promise<Entity> {
  const made = await placed(s);
  const { body } = await ask(s.node, s.owner, `POST ${uploadUrl(made.id)}`, uploadBody);
  const { pathname } = new URL((body as { upload_url: string }).upload_url);
  expect((await ask(s.node, s.anonymous, `PUT ${pathname}`, Buffer.from('hello'), text)).status).toBe(200);
  return made;
}

const entry = (s: Scene) => ({
  key: 'v1',
  cid: hello,
  size: 5,
  content_type: 'text/plain',
  uploaded_at: later(s, 0),
});
/** The same with bytes of a type. */
const typed = (one: Case): Case => ({
  ...one,
  call: async (s) => ({ ...(await one.call(s)), body: Buffer.from('hello'), headers: text }),
});
const missing: Case = {
  name: 'content that is not there',
  status: 404,
  call: async (s) => ({ path: `${content((await holding(s)).id)}?key=v2` }),
  body: lacking('Nothing has been uploaded there'),
};
const noContent = lacking('There is no such content: GET /entities/{id} lists it under properties.content');

export const contentRows: Row[] = [
  {
    route: 'POST /entities/{id}/content',
    auth: 'required',
    action: 'entity:update',
    wire: '200 400 401 403 404 413',
    cases: [
      {
        name: 'stores bytes under a key',
        status: 200,
        call: async (s) => {
          const made = await placed(s);
          return {
            path: `${keyed(made.id)}&filename=a.txt`,
            body: Buffer.from('hello'),
            headers: text,
            known: made,
          };
        },
        body: ({ known }, s) => ({ prev_cid: (known as Entity).cid, content: { ...entry(s), filename: 'a.txt' } }),
      },
      {
        name: 'no key',
        status: 400,
        call: async (s) => ({ path: content((await placed(s)).id), body: Buffer.from('hello'), headers: text }),
        body: invalid(['key'], 'is required'),
      },
      {
        name: 'a key that content is under, where it is to be new',
        status: 412,
        call: async (s) => ({
          path: keyed((await holding(s)).id),
          body: Buffer.from('other'),
          headers: { ...text, 'If-None-Match': '*' },
        }),
        body: { error: 'Precondition Failed: there is content under "v1" already', details: { key: 'v1' } },
      },
      {
        name: 'more than 500 MB',
        status: 413,
        call: async (s) => ({
          path: keyed((await placed(s)).id),
          headers: { ...text, 'Content-Length': '524288001', Connection: 'close' },
        }),
        body: { error: 'The content is too large: at most 524288000 bytes' },
      },
      {
        name: 'no type',
        status: 400,
        call: async (s) => ({ path: keyed((await placed(s)).id), body: Buffer.from('hello') }),
        body: invalid(['content-type'], expect.stringMatching(/^is required: /)),
      },
      noId(keyed),
      typed(otherNetwork(keyed)),
      typed(unknown(keyed)),
      {
        name: 'somebody without entity:update',
        status: 403,
        call: async (s) => ({
          path: keyed((await placed(s)).id),
          body: Buffer.from('hello'),
          headers: text,
          as: s.viewer,
        }),
        body: { error: 'Action not allowed: entity:update' },
      },
    ],
  },
  {
    route: 'GET /entities/{id}/content',
    auth: 'optional',
    action: 'entity:view',
    wire: '200 403 404',
    cases: [
      {
        name: 'gives the bytes of a key',
        status: 200,
        call: async (s) => ({ path: keyed((await holding(s)).id) }),
        also: ({ headers, text: bytes }) => {
          expect([bytes, headers.etag, headers['content-type']]).toEqual(['hello', `"${hello}"`, 'text/plain']);
        },
      },
      ...served(async (s) => keyed((await holding(s)).id)),
      missing,
      noId(content),
      otherNetwork(content),
      unknown(content),
      gone(content),
    ],
  },
  {
    route: 'PATCH /entities/{id}/content',
    auth: 'required',
    action: 'entity:update',
    wire: '200 400 401 403 404 409',
    cases: [
      {
        name: 'gives another key',
        status: 200,
        call: async (s) => {
          const made = await holding(s);
          return { path: content(made.id), body: { ...rename, expect_tip: made.cid }, known: made };
        },
        body: ({ known }) => ({ ...rename, content_cid: hello, prev_cid: (known as Entity).cid }),
      },
      {
        name: 'a key that is taken',
        status: 400,
        call: async (s) => {
          const { id } = await holding(s);
          const { cid } = await put(s.node, s.owner, id, 'v2', 'other');
          return { path: content(id), body: { ...rename, expect_tip: cid } };
        },
        body: invalid(['new_key'], 'there is content under "v2" already'),
      },
      {
        name: 'a key that is not there',
        status: 404,
        call: async (s) => {
          const made = await placed(s);
          return { path: content(made.id), body: { ...rename, expect_tip: made.cid } };
        },
        body: noContent,
      },
      ...refusals(content, rename),
    ],
  },
  {
    route: 'DELETE /entities/{id}/content',
    auth: 'required',
    action: 'entity:update',
    wire: '200 400 401 403 404 409',
    cases: [
      {
        name: 'takes content away',
        status: 200,
        call: async (s) => {
          const made = await holding(s);
          return { path: `${keyed(made.id)}&expect_tip=${made.cid}`, known: made };
        },
        body: ({ known }) => ({ removed_key: 'v1', prev_cid: (known as Entity).cid }),
      },
      {
        name: 'neither key nor CID',
        status: 400,
        call: async (s) => ({ path: `${content((await holding(s)).id)}?expect_tip=x` }),
        body: invalid(['key'], 'name the content by `key` or by `cid`'),
      },
      {
        name: 'a CID under two keys',
        status: 400,
        call: async (s) => {
          const { id } = await holding(s);
          const { cid } = await put(s.node, s.owner, id, 'v2', 'hello');
          return { path: `${content(id)}?cid=${hello}&expect_tip=${cid}` };
        },
        body: invalid(['cid'], 'is under several keys (v1, v2): name the key'),
      },
      {
        name: 'a key that is not there',
        status: 404,
        call: async (s) => {
          const made = await placed(s);
          return { path: `${keyed(made.id)}&expect_tip=${made.cid}` };
        },
        body: noContent,
      },
      noId((id) => `${keyed(id)}&expect_tip=x`),
      otherNetwork((id) => `${keyed(id)}&expect_tip=x`),
      unknown((id) => `${keyed(id)}&expect_tip=x`),
      {
        name: 'somebody without entity:update',
        status: 403,
        call: async (s) => ({ path: `${keyed((await holding(s)).id)}&expect_tip=x`, as: s.viewer }),
        body: { error: 'Action not allowed: entity:update' },
      },
      {
        name: 'a stale tip',
        status: 409,
        call: async (s) => {
          const made = await holding(s);
          return { path: `${keyed(made.id)}&expect_tip=stale`, known: made.cid };
        },
        body: ({ known }) => conflict('stale', known as string),
      },
    ],
  },
  {
    route: 'POST /entities/{id}/content/upload-url',
    auth: 'required',
    action: 'entity:update',
    wire: '200 400 401 403 404',
    cases: [
      {
        name: 'gives an address',
        status: 200,
        call: async (s) => {
          const made = await placed(s);
          return { path: uploadUrl(made.id), body: uploadBody, known: made };
        },
        body: ({ known }, s) => ({
          upload_url: expect.stringMatching(/\/node\/uploads\/main-[\w-]{43}$/),
          r2_key: `${(known as Entity).id}/${hello}`,
          expires_at: later(s, 15),
        }),
      },
      {
        name: 'the CID of a version',
        status: 400,
        call: async (s) => {
          const made = await placed(s);
          return { path: uploadUrl(made.id), body: { ...uploadBody, cid: made.cid } };
        },
        body: invalid(['cid'], 'must be the CID of bytes: CIDv1, raw, sha2-256, base32 (bafkrei...)'),
      },
      {
        name: 'more than 500 MB',
        status: 400,
        call: async (s) => ({ path: uploadUrl((await placed(s)).id), body: { ...uploadBody, size: 524_288_001 } }),
        body: invalid(['size'], 'must be at most 524288000'),
      },
      noId(uploadUrl, uploadBody),
      otherNetwork(uploadUrl, uploadBody),
      unknown(uploadUrl, uploadBody),
      denied('entity:update', uploadUrl, () => uploadBody),
    ],
  },
  {
    route: 'POST /entities/{id}/content/complete',
    auth: 'required',
    action: 'entity:update',
    wire: '200 400 401 403 404 409',
    cases: [
      {
        name: 'stores what came to the address',
        status: 200,
        call: async (s) => {
          const made = await received(s);
          return { path: complete(made.id), body: { ...completion, expect_tip: made.cid }, known: made };
        },
        body: ({ known }, s) => ({ prev_cid: (known as Entity).cid, content: entry(s) }),
      },
      {
        name: 'bytes that have not come',
        status: 400,
        call: async (s) => {
          const made = await placed(s);
          const body = { ...completion, cid: cidOf('never sent'), expect_tip: made.cid };
          return { path: complete(made.id), body };
        },
        body: invalid(['cid'], 'its bytes are not here: PUT them to the address of upload-url first'),
      },
      {
        name: 'another size',
        status: 400,
        call: async (s) => {
          const made = await received(s);
          return { path: complete(made.id), body: { ...completion, size: 6, expect_tip: made.cid } };
        },
        body: invalid(['size'], 'the bytes are 5'),
      },
      ...refusals(complete, completion),
    ],
  },
];

/** What every write with a body refuses; `body` is the rest of what it sends. */
function refusals(path: Path, body: object): Case[] {
  const sent = { expect_tip: 'x', ...body };
  return [
    noId(path, sent),
    otherNetwork(path, sent),
    unknown(path, sent),
    denied('entity:update', path, () => body, undefined, holding),
    stale(path, body, holding),
  ];
}
