import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, test, vi } from 'vitest';
import type { Identity } from '../../src/server/store/accounts/identity.ts';
import { openIdentity } from '../helpers/identity.ts';

// There may be a hundred thousand accounts, each with keys, and as many invites; identity.db is read on the event loop.

/** How SQLite carries out the last statement of what is read. */
function planOf(read: (identity: Identity) => unknown): string {
  using made = openIdentity();
  const prepared = vi.spyOn(Database.prototype, 'prepare');
  read(made.identity);
  const sql = String(prepared.mock.lastCall?.[0]);
  prepared.mockRestore();
  const db = new Database(join(made.folder, 'identity.db'), { readonly: true });
  const unbound = sql.split('?').slice(1).fill('');
  const rows = db.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(...unbound) as { detail: string }[];
  db.close();
  return rows.map(({ detail }) => detail).join('\n');
}

test('keys of an account are found by it, not among those of all', () => {
  expect(planOf((identity) => identity.listKeys({ account: 'A' }))).toContain(
    'SEARCH api_key USING INDEX api_key_account (account=?)',
  );
});

test('invites before a page are passed over in the index', () => {
  const plan = planOf((identity) => identity.invites({ limit: 10, offset: 100_000 }));
  expect(plan).toContain('SCAN invite USING COVERING INDEX invite_created');
  expect(plan).toContain('SEARCH invite USING PRIMARY KEY (id=?)');
});
