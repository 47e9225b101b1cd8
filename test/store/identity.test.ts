import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { NotFoundError, StorageError, ValidationError } from '../../src/server/errors.ts';
import { derivedId, idOn } from '../../src/server/model/ids.ts';
import { RecentMap } from '../../src/server/model/recent-map.ts';
import { maxKeysPerHolder } from '../../src/server/store/accounts/api-keys.ts';
import { Identity } from '../../src/server/store/accounts/identity.ts';
import { openIdentity, startOfTime, type TestIdentity } from '../helpers/identity.ts';

const ada = { issuer: 'https://idp.example/auth/v1', subject: 'ada', email: 'ada@example.org', name: 'Ada' };
const agent = '01J0000000000000000000000A';
const ninetyDays = 90 * 86_400;

let test: TestIdentity;
beforeEach(() => {
  test = openIdentity();
});
afterEach(() => test[Symbol.dispose]());

function register(subject = 'ada'): string {
  return test.identity.registerAccount({ ...ada, subject }).account.id;
}

function userKey(account: string, expiresIn: number | null = ninetyDays) {
  return test.identity.createKey({ kind: 'user', account, expiresIn });
}

function replaceIdentity(options: Parameters<typeof openIdentity>[0]): void {
  test[Symbol.dispose]();
  test = openIdentity(options);
}

function rows(sql: string): unknown[] {
  const db = new Database(join(test.folder, 'identity.db'), { readonly: true });
  try {
    return db.prepare(sql).all();
  } finally {
    db.close();
  }
}

/** Has every write of a kind refused, as a crash just before it would end what goes before. */
function refuse(what: string): void {
  const db = new Database(join(test.folder, 'identity.db'));
  db.exec(`CREATE TRIGGER refused BEFORE ${what} BEGIN SELECT RAISE(ABORT, 'refused'); END`);
  db.close();
}

describe('accounts', () => {
  it.each([
    ['UPDATE ON account', () => test.identity.ensureOperator()],
    ["INSERT ON setting WHEN new.name = 'service_account'", () => test.identity.ensureServiceAccount()],
  ])('of the node itself are made whole or not at all (%s)', (what, make) => {
    refuse(what);
    expect(make).toThrow();
    expect(rows('SELECT name FROM account')).toEqual([]);
  });

  it('are made once for an issuer and subject, under an id derived from both', () => {
    const first = test.identity.registerAccount(ada);
    test.clock.ms += 1000;
    const again = test.identity.registerAccount({ ...ada, name: 'Somebody else' });
    expect(first.created).toBe(true);
    expect(again).toEqual({ account: first.account, created: false });
    expect(first.account).toEqual({
      ...ada,
      id: derivedId('main', ada.issuer, ada.subject),
      created_at: startOfTime,
      operator: false,
      ids: { main: [first.account.id], test: [idOn('test', first.account.id)] },
    });
    expect(test.identity.registerAccount({ ...ada, issuer: 'https://other.example' }).created).toBe(true);
  });

  it('are found by subject and by their id on either network', () => {
    const { account } = test.identity.registerAccount(ada);
    expect(test.identity.accountBySubject(ada.issuer, 'ada')).toEqual(account);
    expect(test.identity.accountBySubject(ada.issuer, 'bob')).toBeNull();
    expect(test.identity.accountById(account.id)).toEqual(account);
    expect(test.identity.accountById(idOn('test', account.id))).toEqual(account);
    expect(test.identity.accountById(agent)).toBeNull();
  });

  it('carry their aliases on the network that each belongs to', () => {
    const id = register();
    const { key } = userKey(id);
    expect(test.identity.findKey(key)?.account.ids.main).toEqual([id]);
    test.identity.setAliases(id, 'north', ['01J000000000000000000000R1']);
    test.identity.setAliases(id, 'south', ['01J000000000000000000000R1', 'II0000000000000000000000R2']);
    expect(test.identity.accountById(id)?.ids).toEqual({
      main: [id, '01J000000000000000000000R1'],
      test: [idOn('test', id), 'II0000000000000000000000R2'],
    });
    expect(test.identity.findKey(key)?.account.ids.main).toEqual([id, '01J000000000000000000000R1']);
    test.identity.setAliases(id, 'south', []);
    expect(test.identity.findKey(key)?.account.ids).toEqual({
      main: [id, '01J000000000000000000000R1'],
      test: [idOn('test', id)],
    });
  });

  it('cannot have an alias or a key when they are missing', () => {
    expect(() => test.identity.setAliases(agent, 'north', [agent])).toThrow(NotFoundError);
    expect(() => userKey(agent)).toThrow(NotFoundError);
  });
});

describe('keys', () => {
  it('have the documented form, and only their digest is stored', () => {
    replaceIdentity({ randomBytes: (size) => Uint8Array.from({ length: size }, (_, i) => i) });
    const id = register();
    const user = test.identity.createKey({ kind: 'user', account: id, label: 'laptop', expiresIn: ninetyDays });
    expect(user).toEqual({
      id: '00010203-0405-4607-8809-0a0b0c0d0e0f',
      key: 'uk_000102030405060708090a0b0c0d0e0f',
      prefix: 'uk_000102030',
      label: 'laptop',
      created_at: startOfTime,
      expires_at: startOfTime + ninetyDays * 1000,
    });
    expect(rows('SELECT hex(digest) AS digest FROM api_key')).toEqual([
      { digest: '7cb60ee8f65820db37ad8d0908826f0f8cb4b671c45de547850c50ee480e27aa'.toUpperCase() },
    ]);
    test.identity.close();
    for (const name of readdirSync(test.folder))
      expect(readFileSync(join(test.folder, name)).includes(user.key), name).toBe(false);
  });

  it('of processors have 32 random bytes', () => {
    replaceIdentity({ randomBytes: (size) => Uint8Array.from({ length: size }, (_, i) => i) });
    const { key } = test.identity.createKey({ kind: 'agent', account: register(), processor: agent, expiresIn: null });
    expect(key).toBe('ak_000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f');
    expect(rows('SELECT hex(digest) AS digest FROM api_key')).toEqual([
      { digest: 'c4bc36b977fb1a5e680739a21324d172138c7ccad08e3f2addc54cc2ecd62104'.toUpperCase() },
    ]);
  });

  it('are found with the account and processor that they stand for', () => {
    const id = register();
    const { key } = userKey(id);
    expect(test.identity.findKey(key)).toMatchObject({
      kind: 'user',
      processor: null,
      internal: false,
      account: { id },
    });
    const other = test.identity.createKey({
      kind: 'klados',
      account: id,
      processor: idOn('test', agent),
      expiresIn: 60,
    });
    expect(test.identity.findKey(other.key)).toMatchObject({
      kind: 'klados',
      account: { id },
      processor: { id: idOn('test', agent), network: 'test' },
    });
  });

  it('that are unknown or malformed are not found', () => {
    const { key } = userKey(register());
    for (const text of [
      '',
      'uk_',
      key.toUpperCase(),
      `${key}0`,
      ` ${key}`,
      key.replace('uk_', 'ak_'),
      `uk_${'0'.repeat(32)}`,
    ])
      expect(test.identity.findKey(text), text).toBeNull();
  });

  it('are refused from the moment of their revocation, remembered or not, and after a restart', () => {
    const id = register();
    const { key, prefix } = userKey(id);
    expect(test.identity.findKey(key)).not.toBeNull();
    test.identity.revokeKey({ account: id }, prefix);
    expect(test.identity.findKey(key)).toBeNull();
    expect(test.identity.listKeys({ account: id })).toEqual([]);
    expect(test.reopen().findKey(key)).toBeNull();
  });

  it('expire at their time, remembered or not', () => {
    const id = register();
    const { key } = userKey(id, 60);
    test.clock.ms += 59_999;
    expect(test.identity.findKey(key)).not.toBeNull();
    test.clock.ms += 1;
    expect(test.identity.findKey(key)).toBeNull();
    expect(test.identity.remembered).toBe(0);
    expect(test.reopen().findKey(key)).toBeNull();
  });

  it('with a lifetime of 0 expire at once, with none never', () => {
    const id = register();
    expect(test.identity.findKey(userKey(id, 0).key)).toBeNull();
    const forever = userKey(id, null);
    test.clock.ms += 100 * 365 * 86_400_000;
    expect(test.identity.findKey(forever.key)).not.toBeNull();
  });

  it('are listed by holder, newest first, without their text', () => {
    const [id, other] = [register(), register('bob')];
    const first = userKey(id);
    test.clock.ms += 1000;
    const second = test.identity.createKey({ kind: 'user', account: id, label: 'phone', expiresIn: null });
    const processors = test.identity.createKey({ kind: 'agent', account: id, processor: agent, expiresIn: 60 });
    const { key: _, ...shown } = second;
    const list = test.identity.listKeys({ account: id });
    expect(list.map((key) => key.id)).toEqual([second.id, first.id]);
    expect(list[0]).toEqual({ ...shown, kind: 'user', last_used_at: null });
    expect(test.identity.listKeys({ processor: agent }).map((key) => key.id)).toEqual([processors.id]);
    expect(test.identity.listKeys({ account: other })).toEqual([]);
  });

  it('are bounded in number for each holder', () => {
    const id = register();
    const db = new Database(join(test.folder, 'identity.db'));
    db.prepare(
      `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
       INSERT INTO api_key (id, digest, prefix, kind, account, created_at)
       SELECT i, randomblob(32), printf('uk_%09d', i), 'user', ?, 0 FROM n`,
    ).run(maxKeysPerHolder, id);
    db.close();
    expect(() => userKey(id)).toThrow(ValidationError);
    userKey(register('bob'));
    const [last] = test.identity.listKeys({ account: id });
    test.identity.revokeKey({ account: id }, last?.prefix ?? '');
    userKey(id);
  });
});

describe('revoking by prefix', () => {
  it('takes 4 to 12 characters that fit one key of that holder', () => {
    const [id, bob] = [register(), register('bob')];
    const { key, prefix } = userKey(id);
    const holder = { account: id };
    for (const text of ['', 'uk_', `${prefix}b`])
      expect(() => test.identity.revokeKey(holder, text)).toThrow(ValidationError);
    expect(() => test.identity.revokeKey({ account: bob }, prefix)).toThrow(NotFoundError);
    expect(() => test.identity.revokeKey({ processor: agent }, prefix)).toThrow(NotFoundError);
    for (const text of ['%%%%', '____', 'uk__', 'uk_\0', prefix.toUpperCase()])
      expect(() => test.identity.revokeKey(holder, text), text).toThrow(NotFoundError);
    expect(test.identity.findKey(key)).not.toBeNull();
    test.identity.revokeKey(holder, prefix.slice(0, 4));
    expect(test.identity.findKey(key)).toBeNull();
    expect(() => test.identity.revokeKey(holder, prefix)).toThrow(NotFoundError);
  });

  it('revokes nothing where two keys fit, and the one that is left once the other is revoked', () => {
    let made = 0;
    replaceIdentity({ randomBytes: (size) => Uint8Array.from({ length: size }, (_, i) => (i < 2 ? 0xab : made++)) });
    const holder = { account: register() };
    const keys = [userKey(holder.account), userKey(holder.account)];
    const [first, second] = keys.map((key) => key.prefix) as [string, string];
    expect(first.slice(0, 7)).toBe('uk_abab');
    try {
      test.identity.revokeKey(holder, 'uk_abab');
      expect.unreachable();
    } catch (error) {
      expect(error).toBeInstanceOf(ValidationError);
      expect((error as ValidationError).issues[0]?.path).toEqual(['prefix']);
    }
    for (const { key } of keys) expect(test.identity.findKey(key)).not.toBeNull();
    test.identity.revokeKey(holder, first);
    test.identity.revokeKey(holder, 'uk_abab');
    expect(test.identity.listKeys(holder)).toEqual([]);
    expect(first).not.toBe(second);
  });
});

describe('times of last use', () => {
  const stored = () => rows('SELECT last_used_at FROM api_key');

  it('are known at once, written at most once a minute and when it closes', () => {
    const id = register();
    const { key } = userKey(id);
    test.clock.ms += 1000;
    test.identity.findKey(key);
    expect(test.identity.listKeys({ account: id })[0]?.last_used_at).toBe(startOfTime + 1000);
    expect(stored()).toEqual([{ last_used_at: null }]);
    test.clock.ms = startOfTime + 60_000;
    test.identity.findKey(key);
    expect(stored()).toEqual([{ last_used_at: startOfTime + 60_000 }]);
    test.clock.ms += 1000;
    test.identity.findKey(key);
    expect(stored()).toEqual([{ last_used_at: startOfTime + 60_000 }]);
    expect(test.reopen().listKeys({ account: id })[0]?.last_used_at).toBe(startOfTime + 61_000);
  });
});

describe('verified keys', () => {
  it('are remembered up to a bound', () => {
    replaceIdentity({ remembered: 2 });
    const id = register();
    const keys = Array.from({ length: 5 }, () => userKey(id).key);
    for (const key of keys) expect(test.identity.findKey(key)).not.toBeNull();
    expect(test.identity.remembered).toBe(2);
    for (const key of keys) expect(test.identity.findKey(key)).not.toBeNull();
  });

  it('leave the least recently used behind', () => {
    const map = new RecentMap<string, number>(2);
    map.set('a', 1);
    map.set('b', 2);
    map.get('a');
    map.set('c', 3);
    expect([map.get('a'), map.get('b'), map.get('c'), map.size]).toEqual([1, undefined, 3, 2]);
  });
});

describe('the operator', () => {
  const file = () => join(test.folder, 'operator.key');
  const keptKey = () => readFileSync(file(), 'utf8');

  it('is an account with a key that never expires, in a file for its eyes only', () => {
    const { account, key } = test.identity.ensureOperator();
    expect(account).toMatchObject({ issuer: 'archeion', name: 'Operator', operator: true });
    expect(test.reopen().ensureOperator().account).toEqual(account);
    expect(keptKey()).toBe(`${key}\n`);
    expect(statSync(file()).mode & 0o777).toBe(0o600);
    expect(test.identity.findKey(key)).toMatchObject({ expires_at: null, internal: true, account: { operator: true } });
    expect(readdirSync(test.folder).filter((name) => name.endsWith('.tmp'))).toEqual([]);
  });

  it('keeps its key from start to start, and closes a file that was opened to others', () => {
    const { key } = test.identity.ensureOperator();
    chmodSync(file(), 0o644);
    expect(test.reopen().ensureOperator().key).toBe(key);
    expect(statSync(file()).mode & 0o777).toBe(0o600);
  });

  it('cannot lose its key over REST', () => {
    const { account, key } = test.identity.ensureOperator();
    const holder = { account: account.id };
    expect(test.identity.listKeys(holder)).toEqual([]);
    expect(() => test.identity.revokeKey(holder, key.slice(0, 12))).toThrow(NotFoundError);
  });

  it.each([
    ['lost', () => rmSync(file())],
    ['empty', () => writeFileSync(file(), '')],
    ['garbage', () => writeFileSync(file(), Buffer.alloc(100_000, 0xff))],
    ["a key that is not the operator's own", () => writeFileSync(file(), userKey(register()).key)],
  ])('gets a new key where the file is %s, and the old one is revoked', (_, harm) => {
    const { key } = test.identity.ensureOperator();
    harm();
    const renewed = test.identity.ensureOperator();
    expect(renewed.key).not.toBe(key);
    expect(keptKey().trim()).toBe(renewed.key);
    expect(test.identity.findKey(key)).toBeNull();
    expect(test.identity.findKey(renewed.key)?.account.operator).toBe(true);
  });

  it('keeps its key where the file is there and cannot be read, and is told so', () => {
    const { key } = test.identity.ensureOperator();
    rmSync(file());
    // Also who may read everything cannot read this.
    symlinkSync(file(), file());
    expect(() => test.reopen().ensureOperator()).toThrow(
      expect.objectContaining({ reason: expect.stringContaining(`${file()} cannot be read (ELOOP`) }),
    );
    expect(test.identity.findKey(key)?.account.operator).toBe(true);
    rmSync(file());
    writeFileSync(file(), key);
    expect(test.identity.ensureOperator().key).toBe(key);
  });

  it('is told where the file cannot be written', () => {
    mkdirSync(file());
    expect(() => test.identity.ensureOperator()).toThrow(StorageError);
    expect(readdirSync(test.folder).filter((name) => name.endsWith('.tmp'))).toEqual([]);
  });
});

describe('identity.db', () => {
  it('keeps settings', () => {
    test.identity.setSetting('theme', 'dark');
    test.identity.setSetting('theme', 'light');
    const again = test.reopen();
    expect([again.setting('theme'), again.setting('none')]).toEqual(['light', null]);
  });

  it('is durable, and refused where a newer program wrote it or it is no database', () => {
    register();
    test.identity.close();
    const file = join(test.folder, 'identity.db');
    const db = new Database(file);
    expect(db.pragma('journal_mode', { simple: true })).toBe('wal');
    db.pragma('user_version = 99');
    db.close();
    const open = () => new Identity(test.folder, { now: () => 0, randomBytes: (size) => new Uint8Array(size) });
    const reasonOf = () => {
      try {
        open().close();
      } catch (error) {
        return error instanceof StorageError && error.reason;
      }
    };
    expect(reasonOf()).toMatch(/^identity\.db was written by a newer Archeion \(schema 99, /);
    writeFileSync(file, 'no database at all, but longer than nothing');
    expect(reasonOf()).toMatch(/^The database file is damaged\. Run `archeion verify`/);
    for (const name of readdirSync(test.folder)) rmSync(join(test.folder, name));
    open().close();
    symlinkSync('/nowhere/at/all', `${file}-shm`);
    expect(reasonOf()).toMatch(/^The database identity\.db cannot be opened\. Check that /);
    for (const name of readdirSync(test.folder)) rmSync(join(test.folder, name));
    mkdirSync(file);
    expect(reasonOf()).toMatch(/^The database identity\.db cannot be opened\. Check that /);
  });

  it('closes twice without harm', () => {
    test.identity.close();
    test.identity.close();
    expect(readdirSync(test.folder)).toEqual(['identity.db']);
  });
});

it('takes no writes while its database is moved away or replaced, and reads on', () => {
  const account = register();
  const { key } = userKey(account);
  const file = join(test.folder, 'identity.db');
  const refused = expect.objectContaining({
    reason: expect.stringMatching(/^The database identity.db was moved away/),
  });
  renameSync(file, `${file}.away`);
  expect(() => userKey(account)).toThrow(refused);
  expect(() => register('grace')).toThrow(refused);
  copyFileSync(`${file}.away`, file);
  expect(() => test.identity.setSetting('name', 'value')).toThrow(refused);
  expect(test.identity.findKey(key)).toMatchObject({ account: { id: account } });
  renameSync(`${file}.away`, file);
  expect(test.identity.findKey(userKey(account).key)).toMatchObject({ account: { id: account } });
  expect(test.identity.accountBySubject(ada.issuer, 'grace')).toBeNull();
});
