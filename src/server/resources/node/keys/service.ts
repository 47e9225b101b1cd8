import { ValidationError } from '../../../errors.ts';
import { type Caller, operator } from '../../../model/caller.ts';
import { jsonIssues } from '../../../model/json-value.ts';
import type { KeyRecord } from '../../../store/api-keys.ts';
import type { Identity } from '../../../store/identity.ts';
import type { CreateNodeKeyBody, ListedNodeKeyView, NodeKeysView, NodeKeyView } from './wire.ts';

const defaultSeconds = 90 * 24 * 60 * 60;

/** Keys that the operator makes for programs: for itself, or for the service account. */
export class NodeKeysService {
  readonly #identity: Identity;

  constructor(identity: Identity) {
    this.#identity = identity;
  }

  create(caller: Caller, { label, service, expires_in = defaultSeconds }: CreateNodeKeyBody): NodeKeyView {
    operator(caller);
    const issues = jsonIssues(label ?? '', ['label']);
    if (issues.length > 0) throw new ValidationError(issues);
    const account = service ? this.#identity.ensureServiceAccount() : this.#identity.ensureOperator().account;
    const made = this.#identity.createKey({
      kind: service ? 'service' : 'user',
      account: account.id,
      label: label ?? null,
      expiresIn: expires_in,
    });
    return {
      key: made.key,
      key_prefix: made.prefix,
      label: made.label,
      created_at: isoTime(made.created_at),
      expires_at: made.expires_at === null ? null : isoTime(made.expires_at),
    };
  }

  list(caller: Caller): NodeKeysView {
    operator(caller);
    const keys = this.#accounts().flatMap((account) => this.#identity.listKeys({ account }));
    return { keys: keys.sort((a, b) => b.created_at - a.created_at).map(listed) };
  }

  /** @throws NotFoundError, ValidationError where the prefix fits several */
  revoke(caller: Caller, prefix: string): void {
    operator(caller);
    const all = this.#accounts();
    const holders = all.filter((account) =>
      this.#identity.listKeys({ account }).some((key) => key.prefix.startsWith(prefix)),
    );
    if (holders.length > 1) throw ValidationError.at(['prefix'], 'fits more than one key; give more of its characters');
    this.#identity.revokeKey({ account: holders[0] ?? (all[0] as string) }, prefix);
  }

  #accounts(): string[] {
    const service = this.#identity.serviceAccount();
    return [this.#identity.ensureOperator().account.id, ...(service ? [service.id] : [])];
  }
}

function listed({ prefix, kind, label, created_at, expires_at, last_used_at }: KeyRecord): ListedNodeKeyView {
  return {
    key_prefix: prefix,
    service: kind === 'service',
    label,
    created_at: isoTime(created_at),
    expires_at: expires_at === null ? null : isoTime(expires_at),
    last_used_at: last_used_at === null ? null : isoTime(last_used_at),
  };
}

function isoTime(ms: number): string {
  return new Date(ms).toISOString();
}
