import { fromJson } from '../model/from-json.ts';
import { NodeCallError } from './job-error.ts';

const keptMs = 3_600_000;
const maxAnswer = 16_384;

/** The public keys of nodes, each asked for once an hour and again when a signature does not match it. */
export class SigningKeys {
  readonly #fetch: typeof fetch;
  readonly #now: () => number;
  readonly #kept = new Map<string, { key: Promise<Uint8Array>; since: number }>();

  constructor(now: () => number, fetching: typeof fetch) {
    this.#now = now;
    this.#fetch = fetching;
  }

  /** The 32 bytes of the key that the node at `base` signs with. @throws NodeCallError where it gives none */
  of(base: string): Promise<Uint8Array> {
    const kept = this.#kept.get(base);
    if (kept && this.#now() - kept.since < keptMs) return kept.key;
    const key = this.#ask(base);
    this.#kept.set(base, { key, since: this.#now() });
    key.catch(() => this.forget(base));
    return key;
  }

  /** For a node that may have another key now. */
  forget(base: string): void {
    this.#kept.delete(base);
  }

  async #ask(base: string): Promise<Uint8Array> {
    const url = `${base}/.well-known/signing-key`;
    try {
      const answer = await this.#fetch(url, { signal: AbortSignal.timeout(10_000), redirect: 'error' });
      const text = await answer.text();
      const { public_key, algorithm } = fromJson(text.slice(0, maxAnswer)) as Record<string, unknown>;
      const key = Buffer.from(String(public_key), 'base64');
      if (answer.ok && String(algorithm).toLowerCase() === 'ed25519' && key.length === 32) return key;
    } catch (error) {
      throw new NodeCallError(0, `${url} gave no key: ${error instanceof Error ? error.message : error}.`);
    }
    throw new NodeCallError(0, `${url} gave no Ed25519 key.`);
  }
}
