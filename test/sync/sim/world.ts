import { createHash } from 'node:crypto';
import type { JsonObject } from '../../../src/server/model/manifest.ts';
import type { Content } from '../../../src/server/model/three-way.ts';
import type { FeedEvent, FeedPage, Interval } from '../../../src/server/sync/feed.ts';
import { type EntityState, outranks, type Version } from '../../../src/server/sync/state.ts';

/** A version in the model: what decides about it, without the rest of a manifest. */
export interface ModelVersion extends Version {
  entity: string;
  prev: string | null;
  says: Content;
  /** Who wrote it, so that the same content twice makes two versions. */
  by: string;
}

export const nothing: Content = { properties: {}, relationships: [], deleted: true };

function digest(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex').slice(0, 16);
}

function sorted(properties: JsonObject): [string, unknown][] {
  return Object.entries(properties).toSorted(([a], [b]) => (a < b ? -1 : 1));
}

export function contentOf(says: Content): string {
  return says.deleted ? 'deleted' : digest(sorted(says.properties));
}

/** The CID of what a version says: whoever has the version can hash it again. */
export function cidOf({ entity, prev, ver, says, by }: Omit<ModelVersion, 'cid' | 'content' | 'deleted'>): string {
  return digest([entity, prev, ver, sorted(says.properties), says.deleted === true, by]);
}

export type WriteAnswer = { status: 200; cid: string } | { status: number; cid?: undefined };

/** What every remote offers: versions, tips and a feed that forgets. */
export class Server {
  readonly name: string;
  instance: string | null;
  versions = new Map<string, ModelVersion>();
  tips = new Map<string, string>();
  feed: FeedEvent[] = [];
  floor = 0;
  /** Nodes whose user has no role there for now. */
  denied = new Set<string>();
  /** Tips that gave way to one that says the same: the later one, and the earlier. */
  replaced: [string, string][] = [];
  #made = 0;

  constructor(name: string, instance: string | null) {
    this.name = name;
    this.instance = instance;
  }

  /** What a backup of it would hold. */
  copy(): Server {
    const copy = new Server(this.name, this.instance);
    copy.become(this);
    return copy;
  }

  /** Everything as it is in the other one, as after restoring a backup. */
  become(other: Server): void {
    this.versions = new Map(other.versions);
    this.tips = new Map(other.tips);
    this.feed = [...other.feed];
    this.floor = other.floor;
  }

  tip(entity: string): ModelVersion | undefined {
    const cid = this.tips.get(entity);
    return cid === undefined ? undefined : this.versions.get(cid);
  }

  /** A new version over the tip, for somebody here or for `who`. */
  write(entity: string, says: Content, who = this.name): ModelVersion {
    const prev = this.tip(entity);
    const ver = (prev?.ver ?? 0) + 1;
    const bare = { entity, prev: prev?.cid ?? null, ver, says, by: `${who} ${this.name}${this.#made++}` };
    const version = { ...bare, cid: cidOf(bare), content: contentOf(says), deleted: says.deleted === true };
    this.keep([version]);
    this.move(version);
    return version;
  }

  keep(versions: ModelVersion[]): void {
    for (const version of versions) this.versions.set(version.cid, version);
  }

  move({ entity, cid }: ModelVersion): void {
    this.tips.set(entity, cid);
    this.feed.push({ id: (this.feed.at(-1)?.id ?? 0) + 1, entity, cid });
  }

  events(cursor: number | null, limit: number): FeedPage {
    const older = this.feed.filter(({ id }) => id > this.floor && (cursor === null || id < cursor)).reverse();
    return { events: older.slice(0, limit), more: older.length > limit, next: null };
  }

  /** A compare-and-swap write of the client `who`; `expect` null creates. */
  ask(who: string, entity: string, expect: string | null, says: Content): WriteAnswer {
    const tip = this.tip(entity);
    if (expect === null) {
      if (tip === undefined) return { status: 200, cid: this.write(entity, says, who).cid };
      const replay = tip.ver === 1 && tip.content === contentOf(says);
      return replay ? { status: 200, cid: tip.cid } : { status: 409 };
    }
    if (tip === undefined) return { status: 404 };
    if (tip.cid !== expect) return { status: 409 };
    return { status: 200, cid: this.write(entity, says, who).cid };
  }

  /** A push of versions as they are; one that has arrived before changes nothing. */
  take(entity: string, expect: string | null, chain: ModelVersion[]): WriteAnswer {
    const tip = this.tip(entity);
    const last = chain.at(-1);
    if (!last) return { status: 400 };
    if (tip?.cid === last.cid) return { status: 200, cid: last.cid };
    if ((tip?.cid ?? null) !== expect) return { status: 409 };
    this.keep(chain);
    this.move(last);
    return { status: 200, cid: last.cid };
  }

  /** Versions that take the place of a tip that says the same. */
  replace(entity: string, expect: string, chain: ModelVersion[]): WriteAnswer {
    const tip = this.tip(entity);
    const last = chain.at(-1);
    if (!last || !tip) return { status: 400 };
    if (tip.cid === last.cid) return { status: 200, cid: last.cid };
    if (tip.cid !== expect) return { status: 409 };
    if (tip.content !== last.content || !outranks(last, tip)) return { status: 400 };
    this.keep(chain);
    this.move(last);
    // The one that was given up says the same, and stays in the history here.
    this.replaced.push([last.cid, tip.cid]);
    return { status: 200, cid: last.cid };
  }

  /** Brings back the last version that was not deleted. */
  restore(who: string, entity: string, expect: string): WriteAnswer {
    const tip = this.tip(entity);
    if (tip?.cid !== expect) return { status: tip ? 409 : 404 };
    if (!tip.deleted) return { status: 400 };
    let last: ModelVersion | undefined = tip;
    while (last?.deleted) last = last.prev === null ? undefined : this.versions.get(last.prev);
    return last ? { status: 200, cid: this.write(entity, last.says, who).cid } : { status: 400 };
  }
}

/** What a node keeps of one remote; all of it survives a kill. */
export interface Mirror {
  /** Which node it was; undefined before the first run. */
  instance?: string | null;
  /** Whether it is asked for what is new there, and not only pushed to. */
  pulls: boolean;
  /** How many times its feed was read to the end. */
  pulled: number;
  seen: Interval[];
  /** `returned`: it says the same by a version that nodes hand round, and is left at that. */
  entities: Map<string, Omit<EntityState, 'local'> & { event: number; returned: boolean }>;
  intents: Map<string, { tip: string; expect: string | null; content: string }>;
  refusals: Map<string, string>;
}

export class ModelNode extends Server {
  readonly mirrors = new Map<string, Mirror>();
  /** Versions that took in what another one says, besides those before them: [later, earlier]. */
  readonly taken: [string, string][] = [];
  /** Edits that came to nothing before anybody else had them: the tip went back to what was there before. */
  readonly undone: string[] = [];
  /** Clashes that somebody decided. */
  decided = 0;
  merges = 0;

  mirror(of: Server): Mirror {
    let mirror = this.mirrors.get(of.name);
    if (!mirror) {
      mirror = { pulls: true, pulled: 0, seen: [], entities: new Map(), intents: new Map(), refusals: new Map() };
      this.mirrors.set(of.name, mirror);
    }
    return mirror;
  }

  /** How an entity stands with a remote, as the store would load it. */
  state(of: Server, entity: string): EntityState {
    const mirror = this.mirror(of);
    const known = mirror.entities.get(entity);
    const local = this.tip(entity) ?? null;
    const { theirs = null, twin = null, base = null } = known ?? {};
    const standing = known?.standing ?? 'quiet';
    if (standing === 'conflict') return { local, theirs, twin, base, standing };
    if (mirror.intents.has(entity)) return { local, theirs, twin, base, standing: 'sending' };
    if (standing === 'unreadable') return { local, theirs, twin, base, standing };
    const refused = local !== null && mirror.refusals.get(entity) === local.cid;
    return { local, theirs, twin, base, standing: refused ? 'refused' : 'quiet' };
  }
}
