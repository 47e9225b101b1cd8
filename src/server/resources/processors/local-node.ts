import { constants, createReadStream } from 'node:fs';
import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause, setImmediate as turn } from 'node:timers/promises';
import { isContentCid } from '../../blocks/cid.ts';
import { BusyError, ConflictError, DomainError, statuses, ValidationError } from '../../errors.ts';
import type { NewContentFile, ProcessorNode, ProcessorNodes } from '../../jobs/local/ports.ts';
import { type FailedAddition, NodeCallError, naming, refuseFailed } from '../../kit/job-error.ts';
import type { Addition, EntityView, Invocation, Invoked, NewEntity, Properties } from '../../kit/node-api.ts';
import type { Caller } from '../../model/caller.ts';
import { fromJson, jsonOf } from '../../model/from-json.ts';
import { idOn, type Network } from '../../model/ids.ts';
import type { Manifest } from '../../model/manifest.ts';
import type { Networks } from '../../store/networks.ts';
import { lastBefore, type Version, versionsAfter } from '../../store/versions.ts';
import { filesOf, head, sniffedType } from '../content/intake.ts';
import type { ContentService } from '../content/service.ts';
import type { EntitiesService } from '../entities/service.ts';
import type { UpdateEntityBody } from '../entities/wire.ts';
import type { KladosJobsService } from '../klados-jobs/service.ts';
import type { UpdatesService } from '../updates/service.ts';
import type { JsonMap, RelationshipBody } from '../wire.ts';
import type { OutWatch } from './out-watch.ts';
import type { ProcessorStanding } from './standing.ts';

export interface LocalNodeNeeds {
  networks: Pick<Networks, 'get'>;
  entities: EntitiesService;
  updates: UpdatesService;
  content: Pick<ContentService, 'write'>;
  kladoi: Pick<KladosJobsService, 'invoke'>;
  standing: ProcessorStanding;
  outs: OutWatch;
  /** The operator's account: commands are run for nobody else. */
  operator: { id: string; ids: Record<Network, string[]> };
}

const maxAdditions = 100;
const perRead = 10;
/** So many additions to one entity are one version of it. */
const maxTogether = 1000;
/** How often a change is made anew when somebody else was faster. */
const rounds = 30;

/** The node for kladoi that run in it: the same services that HTTP reaches, as that klados and with its grants. */
export class LocalNodes implements ProcessorNodes {
  readonly #needs: LocalNodeNeeds;

  constructor(needs: LocalNodeNeeds) {
    this.#needs = needs;
  }

  of(network: Network, klados: string): ProcessorNode {
    return new LocalNode(this.#needs, this.#as(network, klados), true);
  }

  last(network: Network, klados: string): ProcessorNode {
    return new LocalNode(this.#needs, this.#as(network, klados), false);
  }

  late(network: Network): ProcessorNode {
    const { id, ids } = this.#needs.operator;
    const actor = { kind: 'user', id: idOn(network, id), ids: ids[network], operator: true } as const;
    return new LocalNode(this.#needs, { actor, network, account: id }, false);
  }

  watch(network: Network, klados: string): Promise<Disposable & { out: AbortSignal }> {
    return this.#needs.outs.watch(network, klados);
  }

  async isOut(network: Network, id: string): Promise<boolean> {
    return this.#needs.standing.isOut({ id, network });
  }

  #as(network: Network, klados: string): ProcessorCaller {
    const { id } = this.#needs.operator;
    const actor = { kind: 'processor', id: klados, type: 'klados', owner: idOn(network, id) } as const;
    return { actor, network, account: id };
  }

  async isOperators(network: Network, id: string, endpoint: string): Promise<boolean> {
    const store = await this.#needs.networks.get(network);
    const users = this.#needs.operator.ids[network];
    return jsonOf(await store.readLong('madeHere', { id, users, endpoint })) === true;
  }
}

type ProcessorCaller = Caller & { actor: { kind: 'processor' } };
type NodeCaller = Caller & { actor: { kind: 'processor' | 'user' } };

class LocalNode implements ProcessorNode {
  readonly #on: LocalNodeNeeds;
  readonly #caller: NodeCaller;
  /** Whether it is there for kladoi in use alone. Else additions are made at once: the queue takes none of one that is out. */
  readonly #inUse: boolean;

  constructor(needs: LocalNodeNeeds, caller: NodeCaller, inUse: boolean) {
    this.#on = needs;
    this.#caller = caller;
    this.#inUse = inUse;
  }

  async read(id: string): Promise<EntityView> {
    try {
      return await this.#told(async () => {
        const json = await this.#on.entities.read(this.#caller, id);
        return fromJson(typeof json === 'string' ? json : Buffer.from(json).toString('utf8')) as EntityView;
      });
    } catch (error) {
      throw naming(id, error);
    }
  }

  create({ id, type, collection, properties, relationships }: NewEntity): Promise<{ id: string }> {
    return this.#told(async () => {
      const body = {
        ...(id !== undefined && { id }),
        ...{ type, collection, properties: properties as JsonMap },
        ...(relationships && { relationships: relationships as RelationshipBody[] }),
      };
      try {
        return { id: (await this.#on.entities.create(this.#caller, body, true)).manifest.id };
      } catch (error) {
        if (!(error instanceof ConflictError) || id === undefined) throw error;
        return { id };
      }
    });
  }

  add(additions: Addition[]): Promise<void> {
    if (!this.#inUse) return this.addNow(additions);
    return this.#told(async () => {
      const failed: FailedAddition[] = [];
      for (let i = 0; i < additions.length; i += maxAdditions) {
        const updates = additions.slice(i, i + maxAdditions) as Parameters<UpdatesService['queue']>[1]['updates'];
        failed.push(...(await this.#on.updates.queue(this.#caller, { updates }, false)).failed);
      }
      refuseFailed(failed);
    });
  }

  async addNow(additions: Addition[]): Promise<void> {
    for (const [entity, some] of Map.groupBy(additions, ({ entity_id }) => entity_id))
      for (let i = 0; i < some.length; i += maxTogether) {
        const bodies = some.slice(i, i + maxTogether) as Parameters<UpdatesService['apply']>[2];
        try {
          await this.#told(() => this.#on.updates.apply(this.#caller, entity, bodies));
        } catch (error) {
          throw ofAddition(entity, error);
        }
      }
  }

  async addWith(addition: Addition, behind: Addition[]): Promise<boolean> {
    const { entity_id } = addition;
    const bodies = [addition] as Parameters<UpdatesService['apply']>[2];
    const updates = behind as Parameters<UpdatesService['lastRows']>[1];
    const rows = await this.#told(() => this.#on.updates.lastRows(this.#caller, updates)).catch((error: unknown) => {
      if (!(error instanceof NodeCallError) || error.isPassing) throw error;
      return null;
    });
    if (rows === null) return false;
    try {
      await this.#told(() => this.#on.updates.apply(this.#caller, entity_id, bodies, rows));
      return true;
    } catch (error) {
      throw ofAddition(entity_id, error);
    }
  }

  async change(id: string, next: (properties: Properties) => Properties | null): Promise<Properties> {
    let now: Properties = {};
    await this.#update(id, ({ properties }) => {
      const changed = next(properties);
      now = changed ?? properties;
      return changed && { properties: changed as JsonMap };
    });
    return now;
  }

  /** Null leaves it as it is. */
  async #update(id: string, next: (entity: EntityView) => Omit<UpdateEntityBody, 'expect_tip'> | null): Promise<void> {
    for (let round = 1; ; round++) {
      const entity = await this.read(id);
      const body = next(entity);
      if (body === null) return;
      try {
        await this.#told(() => this.#on.entities.update(this.#caller, id, { expect_tip: entity.cid, ...body }, false));
        return;
      } catch (error) {
        if (!(error instanceof NodeCallError) || error.status !== 409 || round === rounds) throw error;
        await pause(Math.random() * 10 * round);
      }
    }
  }

  invoke(klados: string, invocation: Invocation): Promise<Invoked> {
    return this.#told(async () => {
      const answer = await this.#on.kladoi.invoke(this.#caller, klados, invocation);
      if (answer.status === 'started') return { started: true, job_id: answer.job_id };
      return { started: false, error: answer.status === 'rejected' ? answer.error : answer.message };
    });
  }

  async contentSize(cid: string): Promise<number | null> {
    if (!isContentCid(cid)) return null;
    return (await (await this.#files()).size(cid)) ?? null;
  }

  async copyContent(cid: string, path: string): Promise<void> {
    const place = (await this.#files()).place(cid);
    // A copy that costs nothing where the disk can share it: what the command does to it does not reach what is kept.
    await copyFile(join(place.folder, place.path), path, constants.COPYFILE_FICLONE);
  }

  putContent(entity: string, { key, path, size, type, filename }: NewContentFile): Promise<void> {
    return this.#told(async () => {
      const looks = type ?? (await sniffedType(createReadStream(path, head)));
      const upload = { type: looks, length: size, bytes: openedWhenRead(path) };
      await this.#on.content.write(this.#caller, entity, { key, filename, isNew: false }, upload);
    });
  }

  hasWritten(entity: string, since: number, isSuch: (version: Manifest) => boolean): Promise<boolean> {
    const { actor, network } = this.#caller;
    return this.#told(async () => {
      const store = await this.#on.networks.get(network);
      const after = store.read((db) => lastBefore(db, entity, since));
      if (after === undefined) return false;
      // Not by the tip's history: a plain remote's may have taken its place.
      for (let before: Version | undefined; ; await turn()) {
        const from = before;
        const page = store.read((db) => versionsAfter(db, entity, { after, before: from, limit: perRead }));
        if (page.some(({ manifest: one }) => one.edited_by.user_id === actor.id && isSuch(one))) return true;
        before = page.at(-1);
        if (before === undefined) return false;
      }
    });
  }

  async #files() {
    return filesOf(await this.#on.networks.get(this.#caller.network));
  }

  /** Refusals as a program behind HTTP would see them. */
  async #told<T>(call: () => Promise<T>): Promise<T> {
    const { actor, network } = this.#caller;
    if (this.#inUse && (await this.#on.standing.isOut({ id: actor.id, network })))
      throw new NodeCallError(401, 'The klados is disabled or deleted.');
    return await told(call);
  }
}

/** What an addition that is not taken is refused with, whether it is queued or made at once. */
function ofAddition(entity: string, error: unknown): unknown {
  if (!(error instanceof NodeCallError) || ![400, 404, 413].includes(error.status)) return error;
  return new NodeCallError(error.status === 404 ? 400 : error.status, `${entity}: ${error.message}`, { entity });
}

/** The bytes of a file, which stays closed where nobody reads them: a write may be refused before that. */
async function* openedWhenRead(path: string): AsyncGenerator<Uint8Array> {
  yield* createReadStream(path);
}

async function told<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    const issue = error instanceof ValidationError ? error.issues[0] : undefined;
    const words = issue ? `${error.message} (${issue.path.join('.')}: ${issue.message})` : error.sentence;
    const retryAfter = error instanceof BusyError ? error.retryAfter : undefined;
    throw new NodeCallError(statuses[error.code], words, { retryAfter });
  }
}
