import { NotFoundError } from '../../errors.ts';
import { derivedId, idOn, type Network, networkOf } from '../../model/ids.ts';
import { plainLetters } from '../../model/plain-letters.ts';
import type { NodeDatabase } from '../node-database.ts';

/** A person or service that this node knows; `id` is its user entity's on main. Times are epoch milliseconds. */
export interface Account {
  id: string;
  issuer: string;
  subject: string;
  email: string | null;
  name: string | null;
  created_at: number;
  operator: boolean;
  /** All its user ids on a network: its own first, then its aliases on remotes. */
  ids: Record<Network, string[]>;
}

/** What makes an account; the subject is the issuer's name for it. Without an id it gets the one that follows from both. */
export type NewAccount = Pick<Account, 'issuer' | 'subject' | 'email' | 'name'> & { id?: string | undefined };

type AccountRow = Omit<Account, 'operator' | 'ids'> & { operator: number };

/** Makes the account where its issuer and subject have none; answers its id and whether it is new. */
export function insertAccount(db: NodeDatabase, of: NewAccount, now: number): { id: string; created: boolean } {
  const id = of.id ?? derivedId('main', of.issuer, of.subject);
  const changed = db.run(
    'INSERT INTO account (id, issuer, subject, email, name, created_at) VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING',
    ...[id, of.issuer, of.subject, of.email, of.name, now],
  );
  return { id: accountBySubject(db, of.issuer, of.subject)?.id ?? id, created: changed > 0 };
}

export function markOperator(db: NodeDatabase, id: string): void {
  db.run('UPDATE account SET operator = 1 WHERE id = ? AND operator = 0', id);
}

/** The operator of this node, once there is one. */
export function operatorAccount(db: NodeDatabase): Account | null {
  return load(db, 'operator = 1');
}

/** By the account's own id on either network. */
export function accountById(db: NodeDatabase, id: string): Account | null {
  return networkOf(id) === 'main' ? load(db, 'id = ?', id) : load(db, "'II' || substr(id, 3) = ?", id);
}

export function accountBySubject(db: NodeDatabase, issuer: string, subject: string): Account | null {
  return load(db, 'issuer = ? AND subject = ?', issuer, subject);
}

/** As accountById, with NotFoundError where there is none. */
export function requireAccount(db: NodeDatabase, id: string): Account {
  const account = accountById(db, id);
  if (account === null) throw new NotFoundError('Account not found');
  return account;
}

/** Makes these the account's user ids on the remotes of a source, and no others. */
export function replaceAliases(db: NodeDatabase, account: string, source: string, users: readonly string[]): void {
  db.run('DELETE FROM alias WHERE source = ?', source);
  for (const user of users)
    db.run('INSERT INTO alias (source, user_id, account) VALUES (?, ?, ?)', source, user, account);
}

/** What a list of people shows of an account. */
export type Person = Pick<Account, 'id' | 'name' | 'email' | 'created_at' | 'operator'>;

/** How far a list of people has come. */
export interface PeopleSoFar {
  /** The first of those that were looked at. */
  people: Person[];
  /** After which id to look on; null where all were looked at. */
  next: string | null;
}

/**
 * Accounts whose name or address has a part, whatever its case and accents, or whose id it is: the operator first, then by name.
 * `but` is left out. Of very many some are looked at, after `soFar`.
 */
export function listPeople(
  db: NodeDatabase,
  { part, limit, but, soFar, each }: { part: string; limit: number; but: string; soFar: PeopleSoFar; each: number },
): PeopleSoFar {
  const wanted = plainLetters(part);
  const slice = 'SELECT * FROM account WHERE id > ? ORDER BY id LIMIT ?';
  // SQLite folds ASCII alone; of the others it lets pass all.
  const sql = `SELECT id, name, email, created_at, operator, substr(id, -24) = substr(?, -24) AS named
    FROM (SELECT * FROM (${slice}) UNION ALL SELECT * FROM account WHERE id IN (SELECT value FROM json_each(?)))
    WHERE id <> ? AND (named OR instr(lower(coalesce(name, '')), ?) OR instr(lower(coalesce(email, '')), ?)
      OR concat(name, email) GLOB '*[^ -~]*')
    ORDER BY operator DESC, coalesce(name, email, id) COLLATE NOCASE, id LIMIT ?`;
  const after = soFar.next ?? '';
  const kept = JSON.stringify(soFar.people.map(({ id }) => id));
  const people = db
    .all<Omit<Person, 'operator'> & { operator: number; named: number }>(
      sql,
      ...[part, after, each, kept, but, wanted, wanted, wanted === '' ? limit : -1],
    )
    .filter(
      ({ name, email, named }) =>
        named === 1 || [name, email].some((text) => plainLetters(text ?? '').includes(wanted)),
    )
    .slice(0, limit)
    .map(({ named: _, ...row }) => ({ ...row, operator: row.operator === 1 }));
  const last = 'SELECT id FROM account WHERE id > ? ORDER BY id LIMIT 1 OFFSET ?';
  return { people, next: db.get<{ id: string }>(last, after, each - 1)?.id ?? null };
}

function load(db: NodeDatabase, where: string, ...params: string[]): Account | null {
  const row = db.get<AccountRow>(`SELECT * FROM account WHERE ${where}`, ...params);
  if (row === undefined) return null;
  const sql = 'SELECT DISTINCT user_id FROM alias WHERE account = ? ORDER BY user_id';
  const aliases = db.all<{ user_id: string }>(sql, row.id).map((alias) => alias.user_id);
  const idsOn = (network: Network): string[] => {
    const own = idOn(network, row.id);
    return [own, ...aliases.filter((id) => id !== own && networkOf(id) === network)];
  };
  return { ...row, operator: row.operator === 1, ids: { main: idsOn('main'), test: idsOn('test') } };
}
