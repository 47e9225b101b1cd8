import { setImmediate } from 'node:timers/promises';
import type { Block } from '../../../blocks/encode.ts';
import { ConflictError, DomainError, ForbiddenError, NotFoundError, ValidationError } from '../../../errors.ts';
import { actionFor } from '../../../model/actions.ts';
import type { RegisteredActor } from '../../../model/actor.ts';
import { type Caller, registered } from '../../../model/caller.ts';
import { collectionsOf, type EditedBy, type Manifest } from '../../../model/manifest.ts';
import { processorTypes } from '../../../model/processor-types.ts';
import { equalJson } from '../../../model/properties.ts';
import { roleEntries } from '../../../model/roles.ts';
import {
  type Change,
  type Commit,
  maxVersionsPerCommit,
  type Outcome,
  type Precondition,
} from '../../../store/commit.ts';
import type { Reader } from '../../../store/connection.ts';
import { contentHash } from '../../../store/content-hash.ts';
import { findStanding, findTip, type Standing } from '../../../store/entities.ts';
import type { NetworkStore } from '../../../store/network-store.ts';
import { findVersion, firstEdit, lastLive } from '../../../store/versions.ts';
import { chainHolds, isVersionOf } from '../../../sync/entity.ts';
import { outranks } from '../../../sync/state.ts';
import { attempts, checkNetwork, type EntityWrites, type Prepared } from '../../entities/writes.ts';
import type { Placed } from '../../permissions/service.ts';
import { manifestOf, type PushedItem, readPushed } from './pushed.ts';
import type { PushedItemView, PushedView } from './wire.ts';

/** An item that is being taken in: what is left of its chain, and the tip that this follows. */
interface Intake {
  item: PushedItem;
  left: Block[];
  expect: string | null;
  versions: number;
  tries: number;
}

/** So much of a chain as can be judged by what is stored, as commits. */
interface Judged {
  commits: Commit[];
  taken: number;
  tip: string;
}

/** Where a step begins, and the last version before it that was not deleted. */
interface Before {
  base: Standing | null;
  live: Manifest | undefined;
}

/** Items that are written together at most. */
const perGroup = 100;

/** Takes in versions as blocks: each step of each chain is checked like a write of the caller. */
export class PushService {
  readonly #writes: EntityWrites;

  constructor(writes: EntityWrites) {
    this.#writes = writes;
  }

  /**
   * Each item is answered by itself; those that come first are there when later ones are judged.
   * @throws UnauthorizedError, ValidationError, TooLargeError before anything is written
   */
  async push(caller: Caller, bytes: AsyncIterable<Uint8Array>): Promise<PushedView> {
    const actor = registered(caller);
    const { instance, items, chains } = await readPushed(bytes);
    const store = await this.#writes.store(caller);
    const origin = `from:${actor.id}/${instance}`;
    const results = new Map<string, PushedItemView>();
    let open: Intake[] = [];
    const flush = async () => {
      while (open.length > 0) open = await this.#write(store, caller, open, origin, results);
    };
    for (const [i, item] of items.entries()) {
      const chain = chains[i] ?? [];
      if (!Array.isArray(chain)) {
        results.set(item.id, refused(item, new ValidationError([chain])));
        continue;
      }
      open.push({ item, left: chain, expect: item.expect, versions: 0, tries: 0 });
      if (open.length === perGroup) await flush();
    }
    await flush();
    return { results: items.map(({ id }) => results.get(id) as PushedItemView) };
  }

  /** Judges and writes; gives back what has to be looked at again, or goes on. */
  async #write(
    store: NetworkStore,
    caller: Caller,
    open: Intake[],
    origin: string,
    results: Map<string, PushedItemView>,
  ): Promise<Intake[]> {
    const judged: { intake: Intake; judgement: Judged }[] = [];
    const again: Intake[] = [];
    const written = new Set<string>();
    for (const [i, intake] of open.entries()) {
      if (i % 8 === 7) await setImmediate();
      const { item } = intake;
      try {
        // What it depends on has to be there before it is judged.
        const judgement = store.read((db) => this.#judge(db, caller, intake, origin, written));
        if (judgement === 'later') again.push(intake);
        else if (judgement === null) results.set(item.id, taken(item, intake.versions));
        else {
          judged.push({ intake, judgement });
          written.add(item.id);
        }
      } catch (error) {
        if (!(error instanceof DomainError)) throw error;
        results.set(item.id, refused(item, error));
      }
    }
    const outcomes = await store.submit(judged.flatMap(({ judgement }) => judgement.commits));
    let at = 0;
    for (const { intake, judgement } of judged) {
      const mine = outcomes.slice(at, at + judgement.commits.length);
      at += judgement.commits.length;
      const next = settled(intake, judgement, mine);
      if (next instanceof DomainError) results.set(intake.item.id, refused(intake.item, next));
      else if (next === null) results.set(intake.item.id, taken(intake.item, intake.versions));
      else again.push(next);
    }
    return again;
  }

  /** null where all of it is there; `later` where it names what `written` is about to bring. */
  #judge(
    db: Reader,
    caller: Caller,
    { item, left, expect }: Intake,
    origin: string,
    written: ReadonlySet<string>,
  ): Judged | null | 'later' {
    const { env } = this.#writes;
    const { id, tip } = item;
    checkNetwork(caller.network, id, ['id']);
    const standing = findStanding(db, id);
    if (standing?.cid === tip) {
      env.permissions.require(db, registered(caller), 'entity:view', standing);
      return null;
    }
    if (standing && standing.cid !== expect) {
      env.permissions.require(db, registered(caller), actionFor(standing.type, 'update'), standing);
      throw new ConflictError(expect ?? '', standing.cid);
    }
    if (!standing && expect !== null) throw new NotFoundError();
    // What begins at the tip follows it like any other chain, and takes nothing's place.
    const replaces = item.base !== undefined && item.base !== item.expect;
    if (standing && replaces) return this.#inPlace(db, caller, standing, { item, left }, origin);
    const chain = left.map((block) => ({ block, manifest: manifestOf(block, id) }));
    if (chain.some(({ manifest }) => manifest.relationships.some(({ peer }) => written.has(peer)))) return 'later';
    if (chain.length === 0) throw ValidationError.at(['tip'], 'is not the tip, and no version of it came');

    const preconditions = new Map<string, Precondition>();
    let at: Before = standing ? standingBefore(db, standing) : { base: null, live: undefined };
    let taken = 0;
    let placed = false;
    for (const { block, manifest } of chain) {
      const before = at.base?.manifest ?? null;
      const { preconditions: mine, change } = this.#step(db, caller, at, block, manifest);
      for (const one of mine) preconditions.set(one.id, one);
      placed ||= change.placed ?? false;
      at = after(at, block.cid, manifest);
      taken++;
      // What a version of a collection says of roles and members decides on the next one, once it is stored.
      if (manifest.type === 'collection' && changesAccess(before, manifest)) break;
    }
    const blocks = left.slice(0, taken);
    return {
      commits: this.#commits({ id, expect, placed }, blocks, [...preconditions.values()], origin),
      taken,
      tip: at.base?.cid ?? tip,
    };
  }

  /**
   * Versions that take the place of a tip that says the same, by the rule that all nodes keep to (decisions.md, Equal
   * content): nothing changes but the history. @throws ForbiddenError, ValidationError
   */
  #inPlace(
    db: Reader,
    caller: Caller,
    standing: Standing,
    { item, left }: Pick<Intake, 'item' | 'left'>,
    origin: string,
  ): Judged {
    const { id, base = null, tip } = item;
    const { env } = this.#writes;
    const actor = registered(caller);
    env.permissions.require(db, actor, actionFor(standing.type, standing.deleted ? 'delete' : 'update'), standing);
    if (left.length > maxVersionsPerCommit)
      throw ValidationError.at(['tip'], `at most ${maxVersionsPerCommit} versions take the place of others at once`);
    let before = beginning(db, standing, base, left.length);
    const { collection } = standing;
    const preconditions = new Map<string, Precondition>();
    if (collection !== null) preconditions.set(collection, { id: collection, tip: findTip(db, collection) ?? null });
    for (const block of left) {
      const manifest = manifestOf(block, id);
      // Who managed where it lay before does not write for others where it lies now.
      this.#author(db, actor, standing, block.cid, manifest);
      if (before.base === null) this.#maker(db, actor, standing, manifest);
      for (const one of this.#step(db, caller, before, block, manifest).preconditions) preconditions.set(one.id, one);
      before = after(before, block.cid, manifest);
    }
    const last = before.base;
    if (
      last?.cid !== tip ||
      contentHash(last.manifest) !== contentHash(standing.manifest) ||
      !outranks({ cid: tip, ver: last.ver }, standing)
    )
      throw ValidationError.at(['tip'], outranked);
    for (const one of this.#buried(db, caller, standing, before.live)) preconditions.set(one.id, one);
    const commits = this.#commits(
      { id, expect: standing.cid, placed: false },
      left,
      [...preconditions.values()],
      origin,
    );
    return { commits, taken: left.length, tip };
  }

  /**
   * All deletions say the same. What lies under one is what a restore brings back, and a collection keeps its roles: where
   * that is another one than here, it is as if the caller wrote it. What that was decided by. @throws ForbiddenError, ValidationError
   */
  #buried(db: Reader, caller: Caller, standing: Standing, live: Manifest | undefined): Precondition[] {
    if (!standing.deleted || !live) return [];
    const { cid, manifest } = lastLive(db, standing.manifest) ?? standing;
    if (contentHash(manifest) === contentHash(live)) return [];
    const { ver, created_at } = manifest;
    const next = { ...live, ver: ver + 1, prev: cid, created_at };
    const base = standingAs(standing, cid, manifest);
    const state = base.deleted ? 'deleted' : 'live';
    return this.#writes.step(db, caller, base, next, undefined, { elsewhere: true, state }).preconditions;
  }

  /** One step of a chain, as if the caller wrote it; what it was decided by. @throws ForbiddenError, ValidationError */
  #step(db: Reader, caller: Caller, { base, live }: Before, { cid }: Block, manifest: Manifest): Prepared {
    this.#author(db, registered(caller), base, cid, manifest);
    const next = { ...manifest };
    const prepared =
      base === null
        ? this.#writes.creation(db, caller, next, { elsewhere: true })
        : this.#writes.step(db, caller, base, next, undefined, {
            elsewhere: true,
            state: base.deleted ? 'deleted' : 'live',
            ...(live && { last: live }),
          });
    if (prepared.cid !== cid)
      throw ValidationError.at(['tip'], `the version ${cid} is not as it would be written here`);
    return prepared;
  }

  /** decisions.md, Authors across nodes: others' versions are brought by who may manage, or by a service account. */
  #author(db: Reader, actor: RegisteredActor, base: Standing | null, cid: string, next: Manifest): void {
    if (actor.kind === 'service' || isOwn(actor, next.edited_by)) return;
    const [collection = null] = collectionsOf(next);
    const places: Placed[] = [base ?? { id: next.id, type: next.type, collection }];
    if (base && !next.deleted && base.collection !== collection)
      places.push({ id: next.id, type: next.type, collection });
    if (places.every((place) => this.#writes.env.permissions.may(db, actor, 'collection:manage', place))) return;
    throw new ForbiddenError(
      `The version ${cid} is by ${next.edited_by.user_id}: versions of others are brought by who may manage the collection, or by a service account`,
      { reason: 'author' },
    );
  }

  /**
   * A version 1 of another maker than here is brought by who may bring others' versions, but not that of a processor, with which
   * its creator may do more than others. @throws ForbiddenError
   */
  #maker(db: Reader, actor: RegisteredActor, standing: Standing, { edited_by }: Manifest): void {
    const here = firstEdit(db, standing.id);
    if (here?.user_id === edited_by.user_id && here.on_behalf_of === edited_by.on_behalf_of) return;
    if (here && isOwn(actor, here) && isOwn(actor, edited_by)) return;
    const brings =
      actor.kind === 'service' || this.#writes.env.permissions.may(db, actor, 'collection:manage', standing);
    if (brings && !processorTypes.includes(standing.type)) return;
    throw new ForbiddenError('The first version here is by somebody else, and who made an entity stays');
  }

  #commits(
    { id, expect, placed }: Pick<Change, 'id' | 'expect' | 'placed'>,
    blocks: Block[],
    preconditions: Precondition[],
    origin: string,
  ): Commit[] {
    const commits: Commit[] = [];
    let before = expect;
    for (let at = 0; at < blocks.length; at += maxVersionsPerCommit) {
      const part = blocks.slice(at, at + maxVersionsPerCommit);
      const tip = part.at(-1)?.cid ?? '';
      const change = { id, expect: before, tip, blocks: part, placed };
      commits.push({ changes: [change], preconditions, rows: [], origin, time: this.#writes.env.now() });
      before = tip;
    }
    return commits;
  }
}

/** What is left to do after a write: nothing (null), the rest of a chain, or all of it once more; or why it ends. */
function settled(intake: Intake, { taken, tip }: Judged, outcomes: Outcome[]): Intake | null | DomainError {
  const failure = outcomes.find((outcome) => !outcome.committed);
  if (failure && !failure.committed) {
    if (failure.refused !== undefined) return ValidationError.at(['tip'], failure.refused);
    const { id, actual, expected } = failure;
    const tries = intake.tries + 1;
    if (id === intake.item.id || tries === attempts) return new ConflictError(expected ?? '', actual ?? '');
    return { ...intake, tries };
  }
  intake.versions += taken;
  const left = intake.left.slice(taken);
  return left.length === 0 ? null : { ...intake, left, expect: tip, tries: 0 };
}

function isOwn(actor: RegisteredActor, { user_id, on_behalf_of, method }: EditedBy): boolean {
  if (actor.kind === 'processor')
    return (
      user_id === actor.id && method === 'ai_generated' && (on_behalf_of === undefined || on_behalf_of === actor.owner)
    );
  const ids = actor.kind === 'user' ? [actor.id, ...actor.ids] : [actor.id];
  return ids.includes(user_id) && (on_behalf_of === undefined || ids.includes(on_behalf_of));
}

function changesAccess(before: Manifest | null, next: Manifest): boolean {
  if (before === null) return true;
  return !equalJson(roleEntries(before), roleEntries(next)) || !equalJson(links(before), links(next));
}

function links({ relationships }: Manifest) {
  return relationships.map(({ predicate, peer, peer_type = '', properties = {} }) => ({
    ...{ predicate, peer, peer_type, properties },
  }));
}

function standingBefore(db: Reader, standing: Standing): Before {
  const { deleted, manifest } = standing;
  return { base: standing, live: deleted ? lastLive(db, manifest)?.manifest : manifest };
}

/**
 * Where a chain of so many versions begins that takes the place of the tip: at a version that the tip follows; null for all of
 * it. @throws ValidationError
 */
function beginning(db: Reader, standing: Standing, cid: string | null, length: number): Before {
  if (cid === null) return { base: null, live: undefined };
  const version = isVersionOf(db, standing.id, cid) ? findVersion(db, cid) : undefined;
  if (!version) throw ValidationError.at(['base'], 'is no version of it that is here');
  if (version.ver + length < standing.ver) throw ValidationError.at(['tip'], outranked);
  if (!chainHolds(db, standing.cid, cid, version.ver))
    throw ValidationError.at(['base'], 'is a version that the tip here does not follow');
  const { manifest } = version;
  const live = manifest.deleted ? lastLive(db, manifest)?.manifest : manifest;
  const collection = live ? (collectionsOf(live)[0] ?? null) : standing.collection;
  return { base: standingAs({ ...standing, collection }, cid, manifest), live };
}

const outranked = 'does not take the place of the tip here';

/** After one more step. */
function after({ base, live }: Before, cid: string, manifest: Manifest): Before {
  return { base: standingAs(base, cid, manifest), live: manifest.deleted ? live : manifest };
}

/** An entity as it stands after a step that is not stored yet. */
function standingAs(base: Standing | null, cid: string, manifest: Manifest): Standing {
  const { id, type, ver, created_at, ts } = manifest;
  const deleted = manifest.deleted === true;
  const [first = null] = collectionsOf(manifest);
  return {
    ...{ key: base?.key ?? 0, tip: base?.tip ?? 0, mirror: base?.mirror ?? null, label: base?.label ?? '' },
    ...{ id, type, ver, cid, manifest, deleted, created_at, updated_at: ts },
    collection: deleted ? (base?.collection ?? null) : first,
  };
}

function taken({ id, tip }: PushedItem, versions: number): PushedItemView {
  return { success: true, id, tip, versions };
}

function refused({ id }: PushedItem, error: DomainError): PushedItemView {
  return {
    ...{ success: false, id, error: error.message, code: error.code },
    ...(error.details && { details: error.details }),
  };
}
