import { existsSync } from 'node:fs';
import { cp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { SignedHead } from '../../src/server/attest/head.ts';
import { attestFile } from '../../src/server/store/attest-log.ts';
import { databaseFile } from '../../src/server/store/network-store.ts';
import { settled } from '../helpers/attestations.ts';
import { commandLine } from '../helpers/command-line.ts';
import { startNode, type TestNode, temporaryFolder } from '../helpers/node.ts';
import { create, done } from '../helpers/node-archives.ts';

// `archeion verify --head`: a log that was cut off or written anew cannot go on from a head that was kept elsewhere.

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
/** What was kept: of the first entities, and of more of them. */
let [early, late] = [{} as SignedHead, {} as SignedHead];
let key: { public_key: string; key_id: string };

const at = (name: string): string => join(folder.path, name);
const headOf = async (node: TestNode): Promise<SignedHead> =>
  (await node.fetch('/node/attestations/head')).body as SignedHead;

async function fill(data: string, count: number, what: string): Promise<SignedHead> {
  await using node = await startNode({ data });
  for (let i = 0; i < count; i++) await create(node, `${what} ${i}`);
  await settled(node);
  key ??= (await node.fetch('/.well-known/signing-key')).body as typeof key;
  return headOf(node);
}

/** One command line on a data folder, with that head in a file. */
async function verified(data: string, head: unknown, ...more: string[]) {
  await writeFile(at('head.json'), typeof head === 'string' ? head : JSON.stringify(head));
  return commandLine(data, ['verify', '--head', at('head.json'), ...more]);
}

beforeAll(async () => {
  folder = await temporaryFolder();
  early = await fill(at('node'), 5, 'early');
  await cp(at('node'), at('cut-off'), { recursive: true });
  late = await fill(at('node'), 6, 'late');
});
afterAll(() => folder[Symbol.asyncDispose]());

it('says of a node, running or not, that its log goes on from what was kept, and looks at all that it is of', async () => {
  const words = [
    expect.stringMatching(/versions of .* signed heads?: all is well$/),
    `holds: the head that was kept, of ${early.size} entries on ${new Date(early.time).toISOString()}, was signed with the node's key ${key.key_id}`,
    `holds: the newest head, of ${late.size} entries on ${new Date(late.time).toISOString()}, was signed with the node's key ${key.key_id}`,
    `holds: both are of the main network of the node ${early.instance}`,
    `holds: the ${early.size} entries of the head that was kept are the first of the ${late.size} that the log has now`,
  ];
  const lines = async (...more: string[]) => {
    const { code, out, err } = await verified(at('node'), early, ...more);
    // What takes long on a busy machine tells there how far it is.
    expect(code, err).toBe(0);
    return out.split('\n');
  };
  expect(late.size).toBeGreaterThan(early.size);
  expect(await lines()).toEqual(words);
  await using _running = await startNode({ data: at('node') });
  expect(await lines()).toEqual(words);
  for (const known of [key.public_key, key.key_id])
    expect((await lines('--key', known)).at(-1)).toBe(`holds: the key is the one that you gave, ${known}`);
  const [json = ''] = await lines('--json');
  expect(JSON.parse(json)).toMatchObject({ ok: true, counts: {}, head: { ok: true, statements: [{}, {}, {}, {}] } });
  expect((await verified(at('node'), late)).code).toBe(0);
  // An editor has put a byte order mark before it.
  expect((await verified(at('node'), `\uFEFF${JSON.stringify(early)}`)).code).toBe(0);
});

it('finds what was written anew below a log that was left as it was', async () => {
  await cp(at('node'), at('rewritten'), { recursive: true });
  const db = new Database(databaseFile(at('rewritten'), 'main'));
  db.prepare('UPDATE moves SET time = time + 1 WHERE id = 2').run();
  db.close();
  expect(await verified(at('rewritten'), early)).toMatchObject({
    code: 1,
    out: expect.stringContaining('Move 2 is not what was attested'),
    err: expect.stringMatching(/problems? were found/),
  });
  await writeFile(attestFile(join(at('rewritten'), 'main')), 'no database');
  expect(await verified(at('rewritten'), early)).toMatchObject({
    code: 1,
    out: expect.stringContaining('The attestation log could not be checked'),
  });
});

it('makes no log where there is none, and says what to do', async () => {
  await cp(at('node'), at('no-log'), { recursive: true });
  const log = attestFile(join(at('no-log'), 'main'));
  for (const end of ['', '-wal', '-shm']) await rm(`${log}${end}`, { force: true });
  expect(await verified(at('no-log'), early)).toMatchObject({
    code: 1,
    out: expect.stringContaining(`WRONG: no head is signed yet, and the one that was kept is of ${early.size} entries`),
  });
  expect(existsSync(log)).toBe(false);
});

it('knows by the head which network is meant', async () => {
  let head: SignedHead;
  {
    await using node = await startNode({ data: at('node') });
    await done(node, 'POST /entities', { type: 'document', properties: { label: 'elsewhere' } }, 'test');
    await settled(node, 'test');
    head = await done<SignedHead>(node, 'GET /node/attestations/head', undefined, 'test');
    expect((await verified(at('node'), head)).code).toBe(0);
  }
  expect((await verified(at('node'), head)).out).toContain('holds: both are of the test network');
  expect(await verified(at('node'), head, '--network', 'main')).toMatchObject({
    code: 2,
    err: expect.stringContaining('is of the test network: leave --network out'),
  });
});

it('finds a log that was cut off, and one that went on from there in another way', async () => {
  expect(await verified(at('cut-off'), late)).toMatchObject({
    code: 1,
    out: expect.stringContaining(`WRONG: the log has ${early.size} entries now, and had ${late.size}`),
    err: expect.stringContaining('The log does not go on from'),
  });
  const other = await fill(at('cut-off'), 9, 'other');
  expect(other.size).toBeGreaterThan(late.size);
  const { code, out } = await verified(at('cut-off'), late);
  expect([code, out.match(/^WRONG.*/gm)]).toEqual([
    1,
    [
      `WRONG: the ${late.size} entries of the head that was kept are the first of the ${other.size} that the log has now`,
    ],
  ]);
  expect((await verified(at('cut-off'), early)).code).toBe(0);
});

it.each([
  ['size', (head: SignedHead) => ({ ...head, size: head.size - 1 }), 'WRONG: the head that was kept'],
  ['root', (head: SignedHead) => ({ ...head, root: 'A'.repeat(43) }), 'WRONG: the head that was kept'],
])('does not take a head with another %s', async (_member, change, words) => {
  const { code, out } = await verified(at('node'), change(early));
  expect([code, out]).toEqual([1, expect.stringContaining(words)]);
});

it('takes no other node for this one, nor another key', async () => {
  await fill(at('stranger'), 7, 'strange');
  const { code, out } = await verified(at('stranger'), early);
  expect([code, out.match(/^WRONG: .*/gm)]).toEqual([
    1,
    [
      expect.stringContaining('the head that was kept'),
      expect.stringContaining(`goes on from a backup of the node ${early.instance}`),
      expect.stringContaining(`the ${early.size} entries of the head that was kept are the first`),
    ],
  ]);
  expect(await verified(at('node'), early, '--key', 'other')).toMatchObject({
    code: 1,
    out: expect.stringContaining('WRONG: the key is the one that you gave, other'),
  });
});

it('says what cannot be read, and what is asked wrongly', async () => {
  for (const [text, words] of [
    ['{', 'is no signed head: it is not JSON'],
    [{ ...early, format: 'other' }, 'is no signed head. It is no archeion/head@v1: format'],
  ] as const)
    expect(await verified(at('node'), text)).toMatchObject({ code: 1, err: expect.stringContaining(words) });
  expect(await verified(at('cut-off'), { ...early, network: 'test' })).toMatchObject({ code: 2 });
  expect((await verified(at('node'), early, '--proof', at('head.json'))).code).toBe(2);
  expect((await verified(at('node'), early, '--head', at('none.json'))).code).toBe(2);
  expect((await verified(at('nowhere'), early)).code).toBe(2);
});
