import type { NodeDatabase } from '../node-database.ts';

/** What an endpoint must serve to be verified. Times are epoch milliseconds. */
export interface VerificationToken {
  token: string;
  /** The endpoint that it was made for. */
  endpoint: string;
  created_at: number;
  expires_at: number;
}

/** An endpoint that this node itself has verified, whatever versions of the processor say. */
export interface VerifiedEndpoint {
  endpoint: string;
  verified_at: number;
  /** The operator did it, for a processor of its own. */
  operators: boolean;
}

/** What this node knows of the endpoints of agents and kladoi, by entity id, in identity.db. */
export class Verifications {
  readonly #db: NodeDatabase;

  constructor(db: NodeDatabase) {
    this.#db = db;
  }

  /** The processor's token, expired or not. */
  token(processor: string): VerificationToken | undefined {
    const sql = 'SELECT token, endpoint, created_at, expires_at FROM verification_token WHERE processor = ?';
    return this.#db.get<VerificationToken>(sql, processor);
  }

  /** Keeps a token in place of the one before. */
  putToken(processor: string, { token, endpoint, created_at, expires_at }: VerificationToken): void {
    this.#db.run(
      `INSERT OR REPLACE INTO verification_token (processor, token, endpoint, created_at, expires_at)
         VALUES (?, ?, ?, ?, ?)`,
      ...[processor, token, endpoint, created_at, expires_at],
    );
  }

  dropToken(processor: string): void {
    this.#db.run('DELETE FROM verification_token WHERE processor = ?', processor);
  }

  verified(processor: string): VerifiedEndpoint | undefined {
    const sql = 'SELECT endpoint, verified_at, operators FROM verified_endpoint WHERE processor = ?';
    const row = this.#db.get<Omit<VerifiedEndpoint, 'operators'> & { operators: number }>(sql, processor);
    return row && { ...row, operators: row.operators === 1 };
  }

  putVerified(processor: string, { endpoint, verified_at, operators }: VerifiedEndpoint): void {
    this.#db.run(
      'INSERT OR REPLACE INTO verified_endpoint (processor, endpoint, verified_at, operators) VALUES (?, ?, ?, ?)',
      ...[processor, endpoint, verified_at, operators ? 1 : 0],
    );
  }
}
