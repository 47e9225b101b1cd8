import type { NodeDatabase } from '../node-database.ts';

export type InviteStatus = 'pending' | 'accepted' | 'revoked' | 'waitlisted';

/** One address that was invited, or wants to be (wire-contract.md N28). Times are epoch milliseconds. */
export interface Invite {
  /** A UUID. */
  id: string;
  /** Normalised (model/emails.ts); one invite each. */
  email: string;
  invited_by: string;
  status: InviteStatus;
  created_at: number;
  accepted_at: number | null;
}

const columns = 'id, email, invited_by, status, created_at, accepted_at';
/** How many addresses may wait that nobody has invited. */
const maxWaiting = 10_000;

export function findInvite(db: NodeDatabase, email: string): Invite | undefined {
  return db.get<Invite>(`SELECT ${columns} FROM invite WHERE email = ?`, email);
}

/** A page of them, newest first, without a limit to the last one; and how many there are. */
export function listInvites(
  db: NodeDatabase,
  { limit, offset }: { limit: number | null; offset: number },
): { invites: Invite[]; total: number } {
  // What lies before the page is passed over in the index alone.
  const page = 'SELECT id FROM invite ORDER BY created_at DESC, id DESC LIMIT ? OFFSET ?';
  const sql = `SELECT ${columns} FROM invite WHERE id IN (${page}) ORDER BY created_at DESC, id DESC`;
  const total = db.get<{ n: number }>('SELECT count(*) AS n FROM invite')?.n ?? 0;
  return { invites: db.all<Invite>(sql, limit ?? -1, offset), total };
}

/** The page that comes after one of them. */
export function invitesAfter(db: NodeDatabase, { created_at, id }: Invite, limit: number): Invite[] {
  const sql = `SELECT ${columns} FROM invite WHERE (created_at, id) < (?, ?) ORDER BY created_at DESC, id DESC LIMIT ?`;
  return db.all<Invite>(sql, created_at, id, limit);
}

/** Invites the address; one that was revoked or waits is pending again. False where it is pending or accepted already. */
export function putInvite(db: NodeDatabase, { id, email, invited_by, created_at }: Invite): boolean {
  const sql = `INSERT INTO invite (id, email, invited_by, status, created_at) VALUES (?, ?, ?, 'pending', ?)
    ON CONFLICT (email) DO UPDATE SET invited_by = excluded.invited_by, status = 'pending', created_at = excluded.created_at,
        accepted_at = NULL
      WHERE status IN ('revoked', 'waitlisted')`;
  return db.run(sql, id, email, invited_by, created_at) > 0;
}

/** Whether there was one that could be revoked; whoever has accepted it keeps the account. */
export function revokeInvite(db: NodeDatabase, email: string): boolean {
  const sql = "UPDATE invite SET status = 'revoked' WHERE email = ? AND status <> 'revoked'";
  return db.run(sql, email) > 0;
}

export function acceptInvite(db: NodeDatabase, email: string, now: number): void {
  db.run("UPDATE invite SET status = 'accepted', accepted_at = ? WHERE email = ? AND status = 'pending'", now, email);
}

/** Notes an address that nobody has invited; false where so many wait that no more are noted. */
export function waitlist(db: NodeDatabase, id: string, email: string, now: number): boolean {
  const sql = `INSERT INTO invite (id, email, invited_by, status, created_at) SELECT ?, ?, 'registration', 'waitlisted', ?
    WHERE (SELECT count(*) FROM invite WHERE status = 'waitlisted') < ?`;
  return db.run(sql, id, email, now, maxWaiting) > 0;
}
