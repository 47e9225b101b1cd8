import { expect } from 'vitest';
import { ask } from '../../helpers/callers.ts';
import { conflict, type Entity, invalid, lacking, nowhere } from '../../helpers/entities.ts';
import { cidOf, declare, send, text, uploaded } from '../../helpers/files.ts';
import type { Case, Row, Scene } from '../row.ts';
import { bad, denied, gone, noId, otherNetwork, type Path, placed, stale, unknown } from './common.ts';

const one: Path = (id) => `/files/${id}`;
const content: Path = (id) => `/files/${id}/content`;
const file = { key: 'k', filename: 'a.txt', content_type: 'text/plain', size: 5 };

/** The time in so many minutes. */
export function later({ clock }: Scene, minutes: number): string {
  return new Date(clock.ms + minutes * 60_000).toISOString();
}

const declared = (s: Scene): Promise<Entity> => declare(s.node, s.owner, 'hello', { collection: s.collection.id });
const whole = (s: Scene): Promise<Entity> => uploaded(s.node, s.owner, 'hello', { collection: s.collection.id });
const removed = { name: 'an entity that is no file', status: 404, body: { error: 'Entity not found' } };

function noFile(path: Path, body?: object): Case {
  return { ...removed, call: async (s) => ({ path: path((await placed(s)).id), body }) };
}

/** What a read of bytes answers beside all of them. `path` leads to the bytes of `hello`. */
export function served(path: (s: Scene) => Promise<string>): Case[] {
  const cid = cidOf('hello');
  const asked = async (s: Scene, headers: Record<string, string>) => ({ path: await path(s), headers });
  return [
    {
      name: 'a range',
      status: 206,
      call: (s) => asked(s, { Range: 'bytes=1-2' }),
      also: ({ headers, text: part }) => {
        expect([headers['content-range'], part]).toEqual(['bytes 1-2/5', 'el']);
      },
    },
    { name: 'what the client has', status: 304, call: (s) => asked(s, { 'If-None-Match': `"${cid}"` }) },
    {
      name: 'another content than the client means',
      status: 412,
      call: (s) => asked(s, { 'If-Match': '"other"' }),
      body: { error: 'Precondition Failed: the content is another one' },
    },
    {
      name: 'a range beyond the end',
      status: 416,
      call: (s) => asked(s, { Range: 'bytes=5-' }),
      body: { error: 'Range Not Satisfiable' },
      also: ({ headers }) => expect(headers['content-range']).toBe('bytes */5'),
    },
  ];
}

export const fileRows: Row[] = [
  {
    route: 'POST /files',
    auth: 'required',
    action: 'file:create',
    wire: '201 400 401',
    cases: [
      {
        name: 'declares',
        status: 201,
        call: (s) => ({
          path: '/files',
          body: { ...file, description: 'd', properties: { a: 1 }, collection: s.collection.id },
        }),
        body: (_call, s) => ({
          type: 'file',
          ver: 1,
          properties: { ...file, label: 'a.txt', description: 'd', a: 1, uploaded: false },
          upload_url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/node\/uploads\/main-[\w-]{43}$/),
          upload_expires_at: later(s, 15),
        }),
      },
      bad('no key', '/files', { ...file, key: undefined }, [['key'], 'is required']),
      bad('a size below 0', '/files', { ...file, size: -1 }, [['size'], 'must be at least 0']),
      bad('a size of more than 500 MB', '/files', { ...file, size: 524_288_001 }, [
        ['size'],
        'must be at most 524288000',
      ]),
      bad('an unknown collection', '/files', { ...file, collection: nowhere }, [
        ['collection'],
        `there is no collection ${nowhere}`,
      ]),
      bad('a CID that is none', '/files', { ...file, cid: 'c' }, [['cid'], 'must be the CID of bytes (bafkrei...)']),
      {
        name: 'somebody without file:create',
        status: 403,
        call: (s) => ({ path: '/files', body: { ...file, collection: s.collection.id }, as: s.viewer }),
        body: { error: 'Action not allowed: file:create' },
      },
    ],
  },
  {
    route: 'GET /files/{id}',
    auth: 'optional',
    action: 'file:view',
    wire: '200 403 404',
    cases: [
      {
        name: 'reads',
        status: 200,
        call: async (s) => {
          const made = await whole(s);
          return { path: one(made.id), known: made };
        },
        body: ({ known }) => known as Entity,
      },
      noFile(one),
      noId(one),
      otherNetwork(one),
      unknown(one),
    ],
  },
  {
    route: 'PUT /files/{id}',
    auth: 'required',
    action: 'file:update',
    wire: '200 400 401 403 404 409',
    cases: [
      {
        name: 'changes metadata',
        status: 200,
        call: async (s) => {
          const made = await whole(s);
          const body = { expect_tip: made.cid, filename: 'b.txt', label: 'b', properties: { a: 1 } };
          return { path: one(made.id), body, known: made };
        },
        body: ({ known }) => ({
          ver: 3,
          prev_cid: (known as Entity).cid,
          properties: { ...(known as Entity).properties, filename: 'b.txt', label: 'b', a: 1 },
        }),
      },
      {
        name: 'a key of no version',
        status: 400,
        call: async (s) => {
          const made = await whole(s);
          return { path: one(made.id), body: { expect_tip: made.cid, key: 'unknown' } };
        },
        body: invalid(['key'], 'is the key of no earlier version of this file that has its bytes'),
      },
      noFile(one, { expect_tip: 'x' }),
      noId(one, { expect_tip: 'x' }),
      otherNetwork(one, { expect_tip: 'x' }),
      unknown(one, { expect_tip: 'x' }),
      denied('file:update', one, () => ({}), undefined, declared),
      stale(one, {}, declared),
    ],
  },
  {
    route: 'POST /files/{id}/content',
    auth: 'required',
    action: 'file:upload',
    wire: '200 400 401 403 404 409 413',
    cases: [
      {
        name: 'takes the bytes',
        status: 200,
        call: async (s) => {
          const made = await declared(s);
          return { path: content(made.id), body: Buffer.from('hello'), headers: text, known: made };
        },
        body: ({ known }) => ({
          ver: 2,
          prev_cid: (known as Entity).cid,
          properties: { uploaded: true, size: 5, cid: cidOf('hello') },
        }),
      },
      {
        name: 'another type',
        status: 400,
        call: async (s) => ({
          path: content((await declared(s)).id),
          body: Buffer.from('hello'),
          headers: { 'Content-Type': 'text/html' },
        }),
        body: invalid(['content-type'], 'must be text/plain, as the file was declared'),
      },
      {
        name: 'another size',
        status: 400,
        call: async (s) => ({ path: content((await declared(s)).id), body: Buffer.from('hell'), headers: text }),
        body: invalid(['size'], '4 bytes come, not 5'),
      },
      {
        name: 'the bytes a second time',
        status: 409,
        call: async (s) => {
          const made = await whole(s);
          return { path: content(made.id), body: Buffer.from('hello'), headers: text, known: made.cid };
        },
        body: ({ known }) => {
          const { details, ...rest } = conflict('', known as string);
          const reason = 'The file has its bytes: POST /files/{id}/reupload declares others';
          return { ...rest, details: { ...details, reason } };
        },
      },
      {
        name: 'more than 500 MB',
        status: 413,
        call: async (s) => ({
          path: content((await declared(s)).id),
          headers: { ...text, 'Content-Length': '524288001', Connection: 'close' },
        }),
        body: { error: 'The content is too large: at most 524288000 bytes' },
      },
      noFile(content),
      noId(content),
      otherNetwork(content),
      unknown(content),
      {
        name: 'somebody without file:upload',
        status: 403,
        call: async (s) => ({
          path: content((await declared(s)).id),
          body: Buffer.from('hello'),
          headers: text,
          as: s.viewer,
        }),
        body: { error: 'Action not allowed: file:upload' },
      },
    ],
  },
  {
    route: 'GET /files/{id}/content',
    auth: 'optional',
    action: 'file:download',
    wire: '200 403 404',
    cases: [
      {
        name: 'gives the bytes',
        status: 200,
        call: async (s) => ({ path: content((await whole(s)).id) }),
        also: ({ headers, text: bytes }) => {
          expect(bytes).toBe('hello');
          expect(headers).toMatchObject({
            etag: `"${cidOf('hello')}"`,
            'content-type': 'text/plain',
            'content-length': '5',
            'content-disposition': 'attachment; filename=page.txt',
            'cache-control': 'private, no-cache',
            'x-content-type-options': 'nosniff',
            'content-security-policy': "sandbox; default-src 'none'",
          });
        },
      },
      ...served(async (s) => content((await whole(s)).id)),
      {
        name: 'a file whose bytes have not come',
        status: 404,
        call: async (s) => ({ path: content((await declared(s)).id) }),
        body: lacking('Nothing has been uploaded there'),
      },
      noFile(content),
      noId(content),
      otherNetwork(content),
      unknown(content),
      gone(content),
    ],
  },
  {
    route: 'POST /files/{id}/reupload',
    auth: 'required',
    action: 'file:reupload',
    wire: '200 400 401 403 404 409',
    cases: [
      {
        name: 'declares other bytes',
        status: 200,
        call: async (s) => {
          const made = await whole(s);
          const body = { expect_tip: made.cid, note: 'n', key: 'second', content_type: 'image/png', size: 7 };
          return { path: `${one(made.id)}/reupload`, body, known: made };
        },
        also: ({ body }, { known }) => {
          const { cid: _, ...rest } = (known as Entity).properties;
          const others = { key: 'second', content_type: 'image/png', size: 7, uploaded: false };
          expect((body as Entity).properties).toEqual({ ...rest, ...others });
        },
      },
      {
        name: 'a key that an earlier version has',
        status: 400,
        call: async (s) => {
          const made = await whole(s);
          const { key } = made.properties;
          const body = { expect_tip: made.cid, key, content_type: 'image/png', size: 7 };
          return { path: `${one(made.id)}/reupload`, body };
        },
        body: invalid(['key'], 'exists: version 2 of this file has it. Give a new one'),
      },
      ...refusals('reupload', { key: 'k', content_type: 'a/b', size: 1 }, 'file:reupload'),
    ],
  },
  {
    route: 'POST /files/{id}/confirm-upload',
    auth: 'required',
    action: 'file:update',
    wire: '200 400 401 403 404 409',
    cases: [
      {
        name: 'takes what came to the address',
        status: 200,
        call: async (s) => {
          const made = await declare(s.node, s.owner, 'hello', { collection: s.collection.id });
          const path = new URL(made.upload_url).pathname;
          expect((await ask(s.node, s.anonymous, `PUT ${path}`, Buffer.from('hello'), text)).status).toBe(200);
          return { path: `${one(made.id)}/confirm-upload`, body: { expect_tip: made.cid }, known: made };
        },
        body: ({ known }) => ({
          ver: 2,
          prev_cid: (known as Entity).cid,
          properties: { uploaded: true, cid: cidOf('hello') },
        }),
      },
      {
        name: 'changes nothing where the bytes are there',
        status: 200,
        call: async (s) => {
          const made = await declared(s);
          const now = (await send(s.node, s.owner, made.id, 'hello')).body;
          return { path: `${one(made.id)}/confirm-upload`, body: { expect_tip: made.cid }, known: now };
        },
        body: ({ known }) => known as Entity,
      },
      {
        name: 'bytes that have not come',
        status: 400,
        call: async (s) => {
          const made = await declared(s);
          return { path: `${one(made.id)}/confirm-upload`, body: { expect_tip: made.cid } };
        },
        body: invalid(['id'], 'no bytes have come: PUT them to upload_url, or send them to POST /files/{id}/content'),
      },
      ...refusals('confirm-upload', {}, 'file:update'),
    ],
  },
  {
    route: 'GET /files/{id}/download',
    auth: 'optional',
    action: 'file:download',
    wire: '200 403 404',
    cases: [
      {
        name: 'gives an address of the bytes',
        status: 200,
        call: async (s) => ({ path: `${one((await whole(s)).id)}/download` }),
        body: (_call, s) => ({
          filename: 'page.txt',
          content_type: 'text/plain',
          size: 5,
          expires_at: later(s, 5),
        }),
        also: async ({ body }, _call, s) => {
          const { download_url } = body as { download_url: string };
          const answer = await s.node.fetch(new URL(download_url).pathname);
          expect([answer.status, answer.text]).toEqual([200, 'hello']);
        },
      },
      {
        name: 'a file whose bytes have not come',
        status: 404,
        call: async (s) => ({ path: `${one((await declared(s)).id)}/download` }),
        body: lacking('Nothing has been uploaded there'),
      },
      noFile((id) => `${one(id)}/download`),
      noId((id) => `${one(id)}/download`),
      otherNetwork((id) => `${one(id)}/download`),
      unknown((id) => `${one(id)}/download`),
    ],
  },
];

/** What every write below a file refuses; `body` is the rest of what it sends. */
function refusals(action: string, body: object, permission: string): Case[] {
  const path: Path = (id) => `${one(id)}/${action}`;
  const sent = { expect_tip: 'x', ...body };
  return [
    noFile(path, sent),
    noId(path, sent),
    otherNetwork(path, sent),
    unknown(path, sent),
    denied(permission, path, () => body, undefined, declared),
    stale(path, body, declared),
  ];
}
