import { ValidationError } from '../../../errors.ts';
import { type Caller, operator } from '../../../model/caller.ts';
import { jsonIssues } from '../../../model/json-value.ts';
import type { Identity } from '../../../store/identity.ts';
import type { CreateNodeKeyBody, NodeKeyView } from './wire.ts';

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
      created_at: new Date(made.created_at).toISOString(),
      expires_at: made.expires_at === null ? null : new Date(made.expires_at).toISOString(),
    };
  }
}
