import { join } from 'node:path';
import { sampleBody } from '../samples.ts';
import type { Document, Peer } from './peer.ts';
import { startPeer } from './script.ts';

const collection = 'org.example.work';

/**
 * A personal data server: one repository, one record a document. Its feed is a stream of commits, each with up to a
 * hundred records here; to copy a repository means to move an account, which is not measured.
 */
export async function startPds(folder: string): Promise<Peer> {
  const server = await startPeer('pds', join(folder, 'data'));
  const call = async (method: string, body: object): Promise<unknown> => {
    const answer = await fetch(`${server.url}/xrpc/${method}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    if (!answer.ok) throw new Error(`${method} was answered ${answer.status}: ${await answer.text()}`);
    return await answer.json();
  };
  const { did, accessJwt } = (await call('com.atproto.server.createAccount', {
    email: 'archivist@example.org',
    handle: 'archivist.test',
    password: 'a long password of the bench',
  })) as { did: string; accessJwt: string };
  const record = (n: number) => ({ $type: collection, ...sampleBody(n) });
  const post = (method: string, body: object) => ({
    method: 'POST' as const,
    path: `/xrpc/com.atproto.repo.${method}`,
    body: JSON.stringify({ repo: did, ...body }),
  });
  return {
    name: 'PDS',
    server,
    documents: {
      headers: { 'content-type': 'application/json', authorization: `Bearer ${accessJwt}` },
      create: (n) => post('createRecord', { collection, record: record(n) }),
      batch: (numbers) =>
        post('applyWrites', {
          writes: numbers.map((n) => ({
            $type: 'com.atproto.repo.applyWrites#create',
            collection,
            value: record(n),
          })),
        }),
      written: (answer) =>
        (JSON.parse(answer) as { results: { uri: string; cid: string }[] }).results.map(
          ({ uri, cid }): Document => ({ id: uri.split('/').at(-1) ?? '', revision: cid }),
        ),
      get: ({ id }) => ({
        method: 'GET',
        path: `/xrpc/com.atproto.repo.getRecord?repo=${did}&collection=${collection}&rkey=${id}`,
      }),
      update: ({ id, revision }, n) =>
        post('putRecord', { collection, rkey: id, record: record(n + 1), swapRecord: revision }),
      refusal: 400,
    },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}
