import { setImmediate } from 'node:timers/promises';
import { z } from 'zod';
import { DomainError, type Issue, ValidationError } from '../../errors.ts';
import { authorship } from '../../model/actor.ts';
import { accepted, type Caller, registered } from '../../model/caller.ts';
import { entityIdPattern, type Network } from '../../model/ids.ts';
import { isLonger } from '../../model/text-length.ts';
import type { Commit } from '../../store/commit.ts';
import type { Reader } from '../../store/connection.ts';
import { storedJson } from '../../store/entities.ts';
import type { JsonMap } from '../wire.ts';
import { refuseLargeAnswer } from './answer-size.ts';
import { newEntityIssues, refuse, textIssues, tooManyTargets } from './body.ts';
import type { EntitiesService, NewEntity } from './service.ts';
import type { BatchCreateBody, BatchCreated, BatchCreateView, BatchRefused } from './wire.ts';
import { checkNetwork, type EntityWrites, type Prepared } from './writes.ts';

const id = z
  .string()
  .regex(entityIdPattern, 'must be an id: 26 digits and capital letters, as 01ARZ3NDEKTSV4RRFFQ69G5FAV');
const object = z.custom<JsonMap>(
  (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
  'must be an object',
);

/** An item as POST /entities takes it; items of a batch are checked one by one (decisions.md, Batch). */
const itemSchema = z.object(
  {
    type: z
      .string()
      .min(1)
      .refine((text) => !isLonger(text, 100), 'must have at most 100 characters'),
    note: z.string().optional(),
    id: id.optional(),
    properties: object.optional(),
    relationships: z
      .array(
        z.object({
          predicate: z.string().min(1).max(50),
          peer: z.string().min(1),
          peer_type: z.string().optional(),
          peer_label: z.string().optional(),
          properties: object.optional(),
        }),
      )
      .optional(),
    collection: id.optional(),
  },
  'must be an object',
);

/** How many items are prepared before everything else that waits has its turn. */
const perTurn = 20;

type Result = BatchCreated | BatchRefused;

/** Creation and reading of up to 100 entities at a time. */
export class BatchService {
  readonly #entities: EntitiesService;
  readonly #writes: EntityWrites;

  constructor(entities: EntitiesService, writes: EntityWrites) {
    this.#entities = entities;
    this.#writes = writes;
  }

  /** Every item is a commit of its own, all of them one submission. */
  async create(caller: Caller, body: BatchCreateBody, validate: boolean): Promise<BatchCreateView> {
    const actor = registered(caller);
    if (validate) refuse(tooManyTargets(body.entities.flatMap(peersOf), ['entities']));
    const store = await this.#writes.store(caller);
    const results: Result[] = [];
    const commits: Commit[] = [];
    // Of what is prepared no more than the answer needs: a collection of garbage would copy the rest while it is on its way.
    const waiting: { item: unknown; made: BatchCreated }[] = [];
    const prepare = (db: Reader, from: number): void => {
      for (const [i, item] of body.entities.slice(from, from + perTurn).entries()) {
        const index = from + i;
        const prepared = this.#item(db, caller, item, body.default_collection, validate);
        if (prepared instanceof DomainError) results.push(refused(index, prepared));
        else if ('existing' in prepared) results.push({ success: true, index, ...summary(prepared.existing) });
        else {
          commits.push(this.#commit(prepared));
          waiting.push({ item, made: { success: true, index, ...summary({ ...prepared.next, cid: prepared.cid }) } });
        }
      }
    };
    for (let from = 0; from < body.entities.length; from += perTurn) {
      if (from > 0) await setImmediate();
      store.read((db) => prepare(db, from));
    }
    if (commits.length > 0) await this.#writes.authors.present(store, [authorship(actor)]);
    const outcomes = commits.length === 0 ? [] : await store.submit(commits);
    for (const [i, { item, made }] of waiting.entries())
      results.push(
        outcomes[i]?.committed ? made : await this.#again(caller, made.index, item, body.default_collection, validate),
      );
    results.sort((a, b) => a.index - b.index);
    const succeeded = results.filter((r) => r.success).length;
    return { results, summary: { total: results.length, succeeded, failed: results.length - succeeded } };
  }

  #item(db: Reader, caller: Caller, item: unknown, collection: string | undefined, validate: boolean) {
    try {
      return this.#entities.prepareNew(db, caller, checkedItem(item, collection, caller.network), validate);
    } catch (error) {
      if (error instanceof DomainError) return error;
      throw error;
    }
  }

  /** An item that met somebody else's write: by itself, as POST /entities takes it. */
  async #again(
    caller: Caller,
    index: number,
    item: unknown,
    collection: string | undefined,
    validate: boolean,
  ): Promise<Result> {
    try {
      const { manifest } = await this.#entities.create(caller, checkedItem(item, collection, caller.network), validate);
      return { success: true, index, ...summary(manifest) };
    } catch (error) {
      if (error instanceof DomainError) return refused(index, error);
      throw error;
    }
  }

  #commit(prepared: Prepared): Commit {
    return {
      changes: [prepared.change],
      preconditions: prepared.preconditions,
      rows: [],
      origin: 'local',
      time: this.#writes.env.now(),
    };
  }

  /** The JSON of BatchGetView. Unknown and deleted ids go to `not_found` (wire-contract.md 1.10). */
  async read(caller: Caller, ids: string[]): Promise<string> {
    accepted(caller);
    const store = await this.#writes.store(caller);
    const entities: string[] = [];
    const notFound: string[] = [];
    for (const [i, id] of ids.entries()) checkNetwork(caller.network, id, ['ids', i]);
    store.read((db) => {
      refuseLargeAnswer(db, ids, ['ids']);
      for (const id of ids) {
        const json = storedJson(db, id);
        if (json === null) notFound.push(id);
        else entities.push(json);
      }
    });
    return `{"entities":[${entities.join()}],"not_found":${JSON.stringify(notFound)}}`;
  }
}

/** The targets of an item, which may be anything. */
function peersOf(item: unknown): unknown[] {
  const { relationships } = (item ?? {}) as { relationships?: unknown };
  return Array.isArray(relationships) ? relationships.map((r: { peer?: unknown } | null) => r?.peer) : [];
}

function checkedItem(item: unknown, collection: string | undefined, network: Network): NewEntity {
  const parsed = itemSchema.safeParse(item, { error: itemMessage });
  if (!parsed.success) throw new ValidationError(parsed.error.issues.map(toIssue));
  const isPlaced = parsed.data.relationships?.some(({ predicate }) => predicate === 'collection');
  const entity = { ...parsed.data, collection: parsed.data.collection ?? (isPlaced ? undefined : collection) };
  refuse([...textIssues({ type: entity.type }), ...newEntityIssues(entity, network)]);
  return entity;
}

/** In the words that POST /entities has for the same. */
function itemMessage(issue: z.core.$ZodRawIssue): string | undefined {
  const kinds: { [name: string]: string } = { string: 'a string', array: 'a list' };
  if (issue.code === 'invalid_type')
    return issue.input === undefined ? 'is required' : `must be ${kinds[issue.expected] ?? 'an object'}`;
  const characters = (count: number | bigint) => `${count} character${Number(count) === 1 ? '' : 's'}`;
  if (issue.code === 'too_small') return `must have at least ${characters(issue.minimum)}`;
  if (issue.code === 'too_big') return `must have at most ${characters(issue.maximum)}`;
  return undefined;
}

function toIssue(issue: { path: PropertyKey[]; message: string }): Issue {
  return { path: issue.path.map((part) => (typeof part === 'symbol' ? String(part) : part)), message: issue.message };
}

function summary({ id, cid, type, ver }: { id: string; cid: string; type: string; ver: number }) {
  return { id, cid, type, ver };
}

/** A refusal as an item's result. */
function refused(index: number, error: DomainError): BatchRefused {
  const code = error.code as BatchRefused['code'];
  return { success: false, index, error: error.message, code, ...(error.details ? { details: error.details } : {}) };
}
