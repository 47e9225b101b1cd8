import { type Caller, operator } from '../../../model/caller.ts';
import { isoTime } from '../../../model/iso-time.ts';
import type { Identity } from '../../../store/accounts/identity.ts';
import { refuse, textIssues } from '../../entities/body.ts';
import { keyFacts } from '../../key-views.ts';
import type { CreateNodeKeyBody, NodeKeysView, NodeKeyView } from './wire.ts';

const defaultSeconds = 90 * 24 * 60 * 60;

/** Keys that the operator makes for programs: for itself, or for the service account. */
export class NodeKeysService {
  readonly #identity: Identity;

  constructor(identity: Identity) {
    this.#identity = identity;
  }

  create(caller: Caller, { label, service, expires_in = defaultSeconds }: CreateNodeKeyBody): NodeKeyView {
    operator(caller);
    refuse(textIssues({ label }));
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
    const keys = this.#identity.listKeys(this.#holders());
    return {
      keys: keys.map((key) => ({ key_prefix: key.prefix, service: key.kind === 'service', ...keyFacts(key) })),
    };
  }

  /** See Identity.revokeKey for its errors. */
  revoke(caller: Caller, prefix: string): void {
    operator(caller);
    this.#identity.revokeKey(this.#holders(), prefix);
  }

  #holders(): { accounts: string[] } {
    const service = this.#identity.serviceAccount();
    return { accounts: [this.#identity.ensureOperator().account.id, ...(service ? [service.id] : [])] };
  }
}
