import { fromJson } from '../model/from-json.ts';
import { NodeCallError } from './job-error.ts';

const keptMs = 3_600_000;
/** How long a key is believed to be the node's present one: anybody can send what does not match it. */
const presentMs = 30_000;
const maxAnswer = 16_384;

interface Kept {
  key: Promise<Uint8Array>;
  /** When it was asked for, epoch milliseconds. */
  since: number;
}

/** The public keys of nodes, each asked for once an hour and again when a signature does not match it. */
export class SigningKeys {
  readonly #fetch: typeof fetch;
  readonly #now: () => number;
  readonly #kept = new Map<string, Kept>();
  /** The last look at whether a node has another key. */
  readonly #looks = new Map<string, Kept>();

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
    key.catch(() => this.#kept.delete(base));
    return key;
  }

  /**
   * The key of a node that may have another one now. The one that is kept stays until that has come.
   * @throws NodeCallError where it gives none
   */
  present(base: string): Promise<Uint8Array> {
    const last = this.#looks.get(base);
    if (last && this.#now() - last.since < presentMs) return last.key;
    const look: Kept = { key: this.#ask(base), since: this.#now() };
    this.#looks.set(base, look);
    look.key.then(
      () => this.#kept.set(base, look),
      () => undefined,
    );
    return look.key;
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
