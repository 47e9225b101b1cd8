import { ForbiddenError } from '../../errors.ts';
import { type Caller, registered } from '../../model/caller.ts';
import { isoTime } from '../../model/iso-time.ts';
import type { Identity } from '../../store/accounts/identity.ts';
import { creatorOf } from '../../store/versions.ts';
import { refuse, textIssues } from '../entities/body.ts';
import type { EntityWrites } from '../entities/writes.ts';
import { keyFacts } from '../key-views.ts';
import { managed, managedLive, type Served } from './managed.ts';
import type { CreatedKeyView, CreateKeyBody, KeysView } from './wire.ts';

export interface ProcessorKeysNeeds {
  writes: EntityWrites;
  identity: Pick<Identity, 'accountById' | 'createKey' | 'listKeys' | 'revokeKey'>;
}

const daySeconds = 86_400;

/** The API keys of agents and kladoi (interface.md, Authentication 4). */
export class ProcessorKeysService {
  readonly #writes: EntityWrites;
  readonly #identity: ProcessorKeysNeeds['identity'];

  constructor({ writes, identity }: ProcessorKeysNeeds) {
    this.#writes = writes;
    this.#identity = identity;
  }

  async list(caller: Caller, type: Served, id: string): Promise<KeysView> {
    registered(caller);
    const store = await this.#writes.store(caller);
    store.read((db) => managed(this.#writes, db, caller, type, id));
    const keys = this.#identity.listKeys({ processor: id });
    return { keys: keys.map((key) => ({ id: key.id, prefix: key.prefix, ...keyFacts(key) })) };
  }

  /** The key is the processor's own; its owner, who made the processor or for whom it was made, is in what it writes. */
  async create(caller: Caller, type: Served, id: string, body: CreateKeyBody): Promise<CreatedKeyView> {
    registered(caller);
    refuse(textIssues({ label: body.label }));
    const store = await this.#writes.store(caller);
    const maker = store.read((db) => {
      managedLive(this.#writes, db, caller, type, id);
      return creatorOf(db, id);
    });
    const account = (maker === undefined ? null : this.#identity.accountById(maker))?.id ?? caller.account;
    if (account === undefined) throw new ForbiddenError('Only users can make keys of processors that nobody here made');
    const made = this.#identity.createKey({
      ...{ kind: type, account, processor: id, label: body.label ?? null },
      expiresIn: (body.expires_in_days ?? 365) * daySeconds,
    });
    return {
      ...{ id: made.id, key: made.key, prefix: made.prefix, label: made.label },
      created_at: isoTime(made.created_at),
      expires_at: isoTime(made.expires_at ?? made.created_at),
    };
  }

  /** Of a deleted processor too. */
  async revoke(caller: Caller, type: Served, id: string, prefix: string): Promise<void> {
    registered(caller);
    const store = await this.#writes.store(caller);
    store.read((db) => managed(this.#writes, db, caller, type, id));
    this.#identity.revokeKey({ processor: id }, prefix);
  }
}
