import { type Caller, operator } from '../../../model/caller.ts';
import type { ProcessorType } from '../../../store/jobs/processor-list.ts';
import type { EntityWrites } from '../../entities/writes.ts';
import type { CommandsView } from './wire.ts';

export interface ProcessorListNeeds {
  writes: EntityWrites;
  /** What the operator allows, by name. */
  allowed: { all(): Promise<ReadonlyMap<string, { name: string; timeoutMs: number; atOnce: number }>> };
}

export interface ProcessorListOptions {
  type?: ProcessorType | undefined;
  status?: string | undefined;
  q?: string | undefined;
  limit: number;
  offset: number;
}

/** The processors of the whole node, and what kladoi may run on it, for its operator. */
export class ProcessorListService {
  readonly #needs: ProcessorListNeeds;

  constructor(needs: ProcessorListNeeds) {
    this.#needs = needs;
  }

  async list(caller: Caller, { type, status, q, limit, offset }: ProcessorListOptions): Promise<Uint8Array> {
    operator(caller);
    const store = await this.#needs.writes.store(caller);
    const types: ProcessorType[] = type === undefined ? ['agent', 'klados', 'rhiza'] : [type];
    const part = (q ?? '').toWellFormed().trim();
    return store.readLong('processors', { types, status: status ?? null, part, limit, offset }, caller);
  }

  /** @throws UnavailableError where the operator's file cannot be used */
  async commands(caller: Caller): Promise<CommandsView> {
    operator(caller);
    const allowed = [...(await this.#needs.allowed.all()).values()];
    return {
      commands: allowed.map(({ name, timeoutMs, atOnce }) => ({
        name,
        endpoint: `exec:${name}`,
        seconds: Math.ceil(timeoutMs / 1000),
        at_once: atOnce,
      })),
    };
  }
}
