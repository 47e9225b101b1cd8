import { existsSync } from 'node:fs';
import { cp, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import { isSignedHead, type SignedHead } from '../../src/server/attest/head.ts';
import { hashBytes } from '../../src/server/attest/leaf.ts';
import { isConsistent } from '../../src/server/attest/merkle.ts';
import type { AttestationView, ConsistencyView } from '../../src/server/resources/attestations/wire.ts';
import { attestFile } from '../../src/server/store/attest-log.ts';
import { restoreBackup } from '../../src/server/store/backup/restore-backup.ts';
import { databaseFile, NetworkStore } from '../../src/server/store/network-store.ts';
import { settled, verifiedFolder } from '../helpers/attestations.ts';
import { startNode, type TestNode, temporaryFolder } from '../helpers/node.ts';
import { create, done, lastLine, operate, update, verified, type Written } from '../helpers/node-archives.ts';
import { change, commit, first, idOf, next, step } from '../helpers/store.ts';

async function get<T>(node: TestNode, path: string): Promise<T> {
  const { status, body, text } = await node.fetch(path);
  if (status !== 200) throw new Error(`${path} answered ${status}: ${text}`);
  return body as T;
}

const headOf = (node: TestNode) => get<SignedHead>(node, '/node/attestations/head');
const txOf = async (node: TestNode, { id, ver }: Written) =>
  (await get<AttestationView>(node, `/versions/${id}/${ver}/attestation`)).permastore_tx;

/** Whether the log of `older` is the beginning of the node's. */
async function continues(node: TestNode, older: SignedHead): Promise<boolean> {
  const newer = await headOf(node);
  const query = `from=${older.size}&to=${newer.size}`;
  const { path } = await get<ConsistencyView>(node, `/node/attestations/consistency?${query}`);
  const tree = ({ size, root }: SignedHead) => ({ size, root: hashBytes(root) ?? new Uint8Array() });
  return isConsistent(
    tree(older),
    tree(newer),
    path.map((hash) => hashBytes(hash) ?? new Uint8Array()),
  );
}

/** Changes a closed database by hand. */
function meddle(file: string, ...statements: string[]): void {
  const db = new Database(file);
  try {
    const changes = statements.map((sql) => db.prepare(sql).run().changes);
    expect(Math.min(...changes)).toBeGreaterThan(0);
  } finally {
    db.close();
  }
}

describe('what was done to a log', () => {
  let original: Awaited<ReturnType<typeof temporaryFolder>>;
  beforeAll(async () => {
    original = await temporaryFolder();
    await using node = await startNode({ data: join(original.path, 'data') });
    let ada = await create(node, 'Ada');
    for (let born = 1815; born < 1825; born++) {
      ada = await update(node, ada, { born });
      if (born % 3 === 0) await settled(node);
    }
  });
  afterAll(() => original[Symbol.asyncDispose]());

  // Whatever the first byte is, it becomes another one.
  const flipped = (column: string) =>
    `${column} = CAST(CASE substr(${column}, 1, 1) WHEN X'00' THEN X'01' ELSE X'00' END || substr(${column}, 2) AS BLOB)`;
  const damages: ['log' | 'moves', string, string, RegExp][] = [
    ['log', "a head's root", `UPDATE head SET ${flipped('root')} WHERE number = 2`, /another root/],
    ['log', "a head's signature", `UPDATE head SET ${flipped('signature')} WHERE number = 2`, /a wrong signature/],
    ['log', "a head's time", 'UPDATE head SET time = time - 1 WHERE number = 2', /a wrong signature/],
    ['log', "a head's size", 'UPDATE head SET size = size - 1 WHERE number = 2', /another root/],
    ['log', "a head's size, to nothing", 'UPDATE head SET size = 0 WHERE number = 2', /head of 0 leaves/],
    ['log', "a head's size, to more", 'UPDATE head SET size = 99 WHERE number = 2', /log has only 12/],
    ['log', "a head's instance", "UPDATE head SET instance = 'another' WHERE number = 2", /a wrong signature/],
    ['log', "a head's key", "UPDATE head SET key_id = 'another' WHERE number = 2", /which is not kept/],
    [
      'log',
      'a missing head',
      'DELETE FROM head WHERE number = 2',
      /^\d+ heads are kept, and the last one's number is \d+/,
    ],
    [
      'log',
      'a missing last head',
      'DELETE FROM head WHERE number = (SELECT max(number) FROM head)',
      /^The log has taken up all 12 moves, and the newest head that is kept is of \d+: later ones were removed\.$/,
    ],
    ['log', 'missing heads', 'DELETE FROM head', /the newest head that is kept is of 0: later ones were removed/],
    ['log', 'heads in the wrong order', 'UPDATE head SET number = 0 WHERE number = 2', /another order/],
    ['log', 'a kept key', `UPDATE signer SET ${flipped('public_key')}`, /a wrong signature/],
    ['log', 'a leaf', `UPDATE leaf SET ${flipped('hash')} WHERE seq = 5`, /Move 5 is not what was attested/],
    ['log', 'what a leaf is of', 'UPDATE leaf SET ver = 1 WHERE seq = 5', /Leaf 5 .* another version/],
    ['log', 'a missing leaf', 'DELETE FROM leaf WHERE seq = 5', /Move 5 is missing/],
    ['log', 'missing last leaves', 'DELETE FROM leaf WHERE seq > 10', /log has only 10/],
    ['log', 'a node', `UPDATE node SET ${flipped('hash')} WHERE place = 6`, /node of level 2 above leaf 4 is wrong/],
    ['log', 'a missing node', 'DELETE FROM node WHERE place = 6', /node of level 2 above leaf 4 is missing/],
    ['log', 'a node too many', "INSERT INTO node VALUES (1000, X'00')", /11 nodes above 12 leaves, not 10/],
    ['moves', "a move's time", 'UPDATE moves SET time = time + 1 WHERE id = 5', /Move 5 is not what was attested/],
    ['moves', "a move's version", 'UPDATE moves SET ver = ver + 1 WHERE id = 5', /Move 5 is not what was attested/],
    ['moves', "a move's end", "UPDATE moves SET cid = 'another' WHERE id = 5", /Move 5 is not what was attested/],
    ['moves', 'a missing move', 'DELETE FROM moves WHERE id = 12', /12 leaves, and move 12 is missing/],
  ];

  it.each(damages)('%s: %s is found', async (where, _what, damage, message) => {
    await using folder = await temporaryFolder();
    const data = join(folder.path, 'data');
    await cp(join(original.path, 'data'), data, { recursive: true });
    expect(await verifiedFolder(data)).toMatchObject({ ok: true, problems: [], counts: { leaves: 12 } });
    meddle(where === 'log' ? attestFile(join(data, 'main')) : databaseFile(data, 'main'), damage);
    const report = await verifiedFolder(data);
    expect(report.ok).toBe(false);
    expect(report.problems).toContainEqual({ kind: 'log', message: expect.stringMatching(message) });
  });

  it('is found in the kept heads, where moves and tree were changed alike', async () => {
    await using folder = await temporaryFolder();
    const data = join(folder.path, 'data');
    await cp(join(original.path, 'data'), data, { recursive: true });
    meddle(databaseFile(data, 'main'), 'UPDATE moves SET time = time + 1 WHERE id = 5');
    meddle(attestFile(join(data, 'main')), 'DELETE FROM leaf', 'DELETE FROM node');
    {
      await using node = await startNode({ data });
      await create(node, 'after');
      await settled(node);
    }
    const { problems } = await verifiedFolder(data);
    expect(problems.length).toBeGreaterThan(0);
    for (const { message } of problems) expect(message).toMatch(/^The kept head of \d+ leaves has another root/);
  });

  it('does not stop the node: it goes on to write, says what is wrong, and attests nothing new', async () => {
    await using folder = await temporaryFolder();
    const data = join(folder.path, 'data');
    await cp(join(original.path, 'data'), data, { recursive: true });
    meddle(databaseFile(data, 'main'), 'UPDATE moves SET time = time + 1 WHERE id = 12');
    await using node = await startNode({ data });
    const made = await create(node, 'after');
    await expect(settled(node)).rejects.toMatchObject({ reason: expect.stringMatching(/does not fit what is stored/) });
    const told = /^The version is recorded, but no head is signed now: The attestation log does not fit what is stored/;
    const answer = await node.fetch(`/entities/${made.id}/attestation`);
    expect(answer).toMatchObject({ status: 202, body: { message: expect.stringMatching(told) } });
    const { body } = await node.fetch(`/versions/${made.id}/1/attestation`);
    expect(body).toMatchObject({
      details: { reason: expect.stringMatching(/^Not attested yet\. .* no head is signed now/) },
    });
    const head = await get<{ tx: string }>(node, '/attestations/head');
    const verify = await node.fetch(`/attestations/verify/${head.tx}`);
    expect([verify.status, verify.text]).toEqual([503, expect.stringContaining('does not fit what is stored')]);
    expect(await verified(node)).toMatchObject({ ok: false });
    expect(node.logged.join('\n')).toContain('the attestation log cannot go on');
  });

  it('may be anything: a file that is no database stops nothing but attestations', async () => {
    await using folder = await temporaryFolder();
    const data = join(folder.path, 'data');
    await cp(join(original.path, 'data'), data, { recursive: true });
    for (const end of ['-wal', '-shm']) await rm(`${attestFile(join(data, 'main'))}${end}`, { force: true });
    await writeFile(attestFile(join(data, 'main')), 'this is no database, whatever its name says'.repeat(100));
    await using node = await startNode({ data });
    const made = await create(node, 'after');
    for (const path of [`/entities/${made.id}/attestation`, '/attestations/head', '/node/attestations/head']) {
      const { status, text } = await node.fetch(path);
      expect([status, text]).toEqual([503, expect.stringContaining('The database file is damaged')]);
    }
    expect((await verified(node)).problems).toEqual([
      { kind: 'log', message: expect.stringContaining('The database file is damaged') },
    ]);
  });

  it('is told of a version whose bytes are not those of its CID any more', async () => {
    await using folder = await temporaryFolder();
    const data = join(folder.path, 'data');
    await cp(join(original.path, 'data'), data, { recursive: true });
    const damage = "UPDATE block SET bytes = CAST(replace(CAST(bytes AS TEXT), 'Ada', 'Eda') AS BLOB) WHERE ver = 1";
    meddle(databaseFile(data, 'main'), damage);
    await using node = await startNode({ data });
    const { events } = await get<{ events: { id: number; pi: string }[] }>(node, '/events');
    const ada = events.find(({ id }) => id === 2)?.pi ?? '';
    for (const [ver, cid_valid] of [
      [1, false],
      [2, true],
    ] as const)
      expect(await get(node, `/attestations/verify/${await txOf(node, { id: ada, ver, cid: '' })}`)).toMatchObject({
        attestation: { ver },
        cid_valid,
        manifest_preview: { type: 'document' },
      });
  });
});

test('a restart goes on with the log, and signs what the last run left', async () => {
  await using folder = await temporaryFolder();
  let before: SignedHead;
  let ada: Written;
  let tx: string;
  {
    await using node = await startNode({ data: folder.path });
    ada = await create(node, 'Ada');
    await settled(node);
    [before, tx] = [await headOf(node), await txOf(node, ada)];
    ada = await update(node, ada, { born: 1815 });
  }
  await using node = await startNode({ data: folder.path });
  // Closing has signed the last update.
  const after = await headOf(node);
  expect(after).toMatchObject({ size: before.size + 1, key_id: before.key_id, instance: before.instance });
  expect(await continues(node, before)).toBe(true);
  expect(await txOf(node, { ...ada, ver: 1 })).toBe(tx);
  await update(node, ada, { born: 1816 });
  await settled(node);
  expect(await continues(node, after)).toBe(true);
  expect(await verified(node)).toMatchObject({ ok: true, problems: [], remarks: [] });
});

test('what was committed and never taken up is taken up at the next start', async () => {
  await using folder = await temporaryFolder();
  {
    await using _node = await startNode({ data: folder.path });
  }
  const store = await NetworkStore.open(folder.path, 'main');
  const one = first(idOf(5));
  const two = next(one);
  await store.submit([step(null, one), step(one, two)]);
  await store.close();
  expect((await verifiedFolder(folder.path)).remarks).toEqual([
    '2 moves are not in the attestation log yet; the node takes them up while it runs.',
  ]);
  await using node = await startNode({ data: folder.path });
  await settled(node);
  expect(await get(node, `/versions/${one.id}/1/attestation`)).toMatchObject({ cid: one.cid });
  expect(await get(node, `/entities/${one.id}/attestation`)).toMatchObject({ cid: two.cid });
  expect(await verified(node)).toMatchObject({ ok: true, problems: [] });
});

test('a log that is not there is said to lack every move', async () => {
  await using folder = await temporaryFolder();
  {
    await using node = await startNode({ data: folder.path });
    await create(node, 'Ada');
    await settled(node);
  }
  const { counts } = await verifiedFolder(folder.path);
  expect(counts.leaves).toBe(counts.moves);
  await rm(attestFile(join(folder.path, 'main')));
  expect((await verifiedFolder(folder.path)).remarks).toEqual([
    `${counts.moves} moves are not in the attestation log yet; the node takes them up while it runs.`,
  ]);
});

test('a log that could not be written goes on when it can be', async () => {
  await using node = await startNode();
  await settled(node);
  const holder = new Database(attestFile(join(node.data, 'main')));
  holder.exec('BEGIN IMMEDIATE');
  const made = await create(node, 'Ada');
  await expect(settled(node)).rejects.toMatchObject({ reason: expect.stringMatching(/holds the database/) });
  expect((await node.fetch(`/entities/${made.id}/attestation`)).status).toBe(202);
  holder.exec('ROLLBACK');
  holder.close();
  await settled(node);
  expect(await get(node, `/entities/${made.id}/attestation`)).toMatchObject({ cid: made.cid });
});

test('where several versions have one number, the newest move to one of them counts', async () => {
  await using node = await startNode();
  const one = first(idOf(5));
  const [left, right] = [next(one, { properties: { side: 'left' } }), next(one, { properties: { side: 'right' } })];
  const store = await node.ctx.networks.get('main');
  const attested = async () => {
    await settled(node);
    return get<AttestationView>(node, `/versions/${one.id}/2/attestation`);
  };
  await store.submit([step(null, one), step(one, left)]);
  const before = await attested();
  expect(before.cid).toBe(left.cid);
  // A rebase, and then back to what was there before it.
  await store.submit([step(left, right)]);
  expect(await attested()).toMatchObject({ cid: right.cid, seq: before.seq + 1 });
  await store.submit([commit([{ ...change(right, left), blocks: [] }])]);
  const back = await attested();
  expect(back).toMatchObject({ cid: left.cid, seq: before.seq + 2 });
  expect(back.permastore_tx).not.toBe(before.permastore_tx);
  for (const { permastore_tx, cid } of [before, back])
    expect(await get(node, `/attestations/verify/${permastore_tx}`)).toMatchObject({ attestation: { cid } });
  expect(await verified(node)).toMatchObject({ ok: true, problems: [] });
});

test('a log that is lost is made again, the same', async () => {
  await using folder = await temporaryFolder();
  let before: SignedHead;
  let ada: Written;
  let tx: string;
  {
    await using node = await startNode({ data: folder.path });
    ada = await create(node, 'Ada');
    await settled(node);
    [before, tx] = [await headOf(node), await txOf(node, ada)];
  }
  for (const end of ['', '-wal', '-shm']) await rm(`${attestFile(join(folder.path, 'main'))}${end}`, { force: true });
  await using node = await startNode({ data: folder.path });
  await settled(node);
  expect(await headOf(node)).toMatchObject({ size: before.size, root: before.root });
  expect(await txOf(node, ada)).toBe(tx);
});

test('a backup takes log and key along; what is restored goes on as another instance', async () => {
  await using folder = await temporaryFolder();
  const dir = join(folder.path, 'backup');
  await using node = await startNode();
  const ada = await create(node, 'Ada');
  await settled(node);
  const before = await headOf(node);
  expect(await lastLine(await operate(node, 'POST /node/backup', { dir }))).toMatchObject({ done: { dir } });
  await update(node, ada, { born: 1815 });

  const data = join(folder.path, 'restored');
  await restoreBackup(dir, data, () => undefined);
  await using restored = await startNode({ data });
  await settled(restored);
  await update(restored, ada, { born: 1816 });
  await settled(restored);
  const after = await headOf(restored);
  expect(after).toMatchObject({ key_id: before.key_id, instance: restored.ctx.instance, size: before.size + 1 });
  expect(after.instance).not.toBe(before.instance);
  expect(await continues(restored, before)).toBe(true);
  const { public_key } = await done<{ public_key: string }>(node, 'GET /.well-known/signing-key');
  for (const head of [before, after]) expect(isSignedHead(head, Buffer.from(public_key, 'base64'))).toBe(true);
  expect(await verified(restored)).toMatchObject({ ok: true, problems: [] });
});

test('a log that is moved away or replaced meanwhile goes on when it is back, and no other one is made', async () => {
  await using node = await startNode();
  await create(node, 'Ada');
  await settled(node);
  const before = await headOf(node);
  const store = await node.ctx.networks.get('main');
  const log = node.ctx.attestationLogs.of(store);
  const file = attestFile(store.folder);
  await rename(file, `${file}.away`);
  await create(node, 'Grace');
  for (let n = 0; n < 2; n++)
    await expect(log.settle()).rejects.toMatchObject({ reason: expect.stringMatching(/attest.db was moved away/) });
  expect(existsSync(file)).toBe(false);
  await rename(`${file}.away`, file);
  await log.settle();
  expect((await headOf(node)).size).toBeGreaterThan(before.size);
});
