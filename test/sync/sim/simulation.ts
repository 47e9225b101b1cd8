import type { Content } from '../../../src/server/model/three-way.ts';
import { calm, type Faults, Process } from './network.ts';
import type { Random } from './random.ts';
import { ancestors, resolve, sweepAll, syncOnce } from './sync.ts';
import { ModelNode, nothing, Server } from './world.ts';

/** An edit that somebody was told is kept. */
export interface Edit {
  node: Server;
  entity: string;
  key: string | null;
  value: number;
  cid: string;
}

const entities = ['e0', 'e1', 'e2', 'e3'];
const keys = ['a', 'b', 'c'];
const maxRounds = 60;

type Link = [ModelNode, Server];

/**
 * Who syncs with whom: `star`, all nodes with the remote; `line`, one with it and the others with that one; `web`, some of
 * these with each other; `middle`, one with it and with the others, which know nothing of it; `circle`, one with it, and each
 * with the next. With a second remote: `both`, one with the two of them; `ends`, two that sync, and each with a remote of its
 * own, which keeps to its own versions.
 */
function links(random: Random, hub: Server, depot: Server | null, nodes: ModelNode[]): Link[] {
  const [a, b, c] = nodes as [ModelNode, ModelNode, ModelNode];
  const last: Link = [c, random.chance(0.5) ? a : b];
  if (depot !== null) {
    const both = hub.instance !== null || depot.instance !== null || random.chance(0.5);
    return [[a, hub], both ? [a, depot] : [b, depot], both ? [b, a] : [a, b], last];
  }
  if (random.chance(0.5)) return nodes.map((node) => [node, hub]);
  if (random.chance(0.2))
    return [
      [a, hub],
      [a, b],
      [a, c],
    ];
  if (random.chance(0.2))
    return [
      [a, hub],
      [a, b],
      [b, c],
      [c, a],
    ];
  const line: Link[] = [[a, hub], [b, a], last];
  return random.chance(0.5) ? line : [...line, [a, b], [b, c]];
}

function faultsOf(random: Random): Faults {
  const up = (most: number) => (random.chance(0.3) ? 0 : random.next() * most);
  return { lostRequest: up(0.1), lostAnswer: up(0.1), twice: up(0.1), refused: up(0.1), lie: up(0.05) };
}

/** What a simulation came to. */
export interface Outcome {
  edits: number;
  merges: number;
  decided: number;
  kills: number;
  resets: number;
  /** What is wrong; empty when every invariant holds. */
  broken: string[];
}

/** What can happen, and how often beside the rest. */
export const weights = {
  edit: 12,
  sync: 8,
  goOn: 100,
  kill: 2,
  partition: 2,
  deny: 1,
  expire: 1,
  reset: 1,
  decide: 2,
} as const;

export type Happening = keyof typeof weights;

/** Three nodes and a remote or two, with what is on its way between them. */
export class Simulation {
  readonly hub: Server;
  readonly nodes = ['x', 'y', 'z'].map((name) => new ModelNode(name, `${name}-instance`));
  /** All of them, the hub first. */
  readonly servers: Server[];
  readonly pairs: Link[];
  /** Those that somebody edits at. */
  readonly #edited: Server[];
  readonly #faults: Faults;
  readonly #resets: boolean;
  readonly #apart = new Set<string>();
  #edits: Edit[] = [];
  #saved: Server | null = null;
  #processes: Process[] = [];
  #value = 0;
  #killed = 0;
  #restored = 0;

  /** How they are linked and what befalls their questions is drawn from `random`. */
  constructor(random: Random) {
    this.hub = new Server('hub', random.chance(0.5) ? null : 'hub-instance');
    const depot = random.chance(0.25) ? new Server('depot', random.chance(0.7) ? null : 'depot-instance') : null;
    this.pairs = links(random, this.hub, depot, this.nodes);
    this.servers = [this.hub, ...(depot ? [depot] : []), ...this.nodes];
    const only = depot !== null && random.chance(0.5) ? depot : null;
    for (const [node, server] of this.pairs) node.mirror(server).pulls = server !== only;
    // Of what is edited where nobody asks for it nobody hears.
    this.#edited = [...this.nodes, ...this.servers.filter((server) => server !== only)];
    this.#faults = faultsOf(random);
    this.#resets = random.chance(0.3);
  }

  /** Lets something happen; where, and with what, is drawn from `random`. */
  play(happening: Happening, random: Random): void {
    this.#happenings[happening](random);
  }

  readonly #happenings: Record<Happening, (random: Random) => void> = {
    edit: (random) => this.#edit(random.pick(this.#edited), random),
    sync: (random) => this.#start(random),
    goOn: (random) => {
      if (this.#processes.length === 0) return this.#start(random);
      const process = random.pick(this.#processes);
      process.step(this.#faults, random, this.#apart.has(`${process.node}${process.peer}`));
      this.#processes = this.#processes.filter((it) => !it.done);
    },
    kill: (random) => {
      const { name } = random.pick(this.nodes);
      const left = this.#processes.filter((it) => it.node !== name);
      this.#killed += this.#processes.length - left.length;
      this.#processes = left;
    },
    partition: (random) => {
      const [node, server] = random.pick(this.pairs);
      const link = `${node.name}${server.name}`;
      if (!this.#apart.delete(link)) this.#apart.add(link);
    },
    deny: (random) => {
      const [node, server] = random.pick(this.pairs);
      if (!server.denied.delete(node.name)) server.denied.add(node.name);
    },
    expire: (random) => prune(this.hub, random),
    reset: (random) => {
      if (!this.#resets) return;
      if (this.#saved === null) this.#saved = this.hub.copy();
      else if (random.chance(0.3)) this.#restore(this.#saved);
    },
    decide: (random) => {
      const [node, server] = random.pick(this.pairs);
      const side = random.pick(['ours', 'theirs'] as const);
      resolve(node, server, random.pick(entities), () => side);
    },
  };

  #edit(server: Server, random: Random): void {
    const entity = random.pick(entities);
    const tip = server.tip(entity);
    // Ids are random: what a reset forgot is not made a second time by somebody else.
    if (tip === undefined && this.#restored > 0) return;
    const key = random.pick(keys);
    const remove = tip !== undefined && random.chance(0.1);
    const value = ++this.#value;
    if (remove && !tip.deleted) {
      this.#edits.push({ node: server, entity, key: null, value, cid: server.write(entity, nothing).cid });
      return;
    }
    const before: Content = tip && !tip.deleted ? tip.says : { properties: {}, relationships: [] };
    const { [key]: _, ...others } = before.properties;
    const earlier = tip ? ancestors(tip.cid, (cid) => server.versions.get(cid)).slice(1) : [];
    const back = earlier.length > 0 && random.chance(0.2) ? server.versions.get(random.pick(earlier)) : undefined;
    if (back && !back.deleted && back.content !== tip?.content) {
      this.#edits.push({ node: server, entity, key: null, value, cid: server.write(entity, back.says).cid });
      return;
    }
    const drop = tip !== undefined && !tip.deleted && random.chance(0.1);
    const properties = drop ? others : { ...others, [key]: value };
    const { cid } = server.write(entity, { properties, relationships: [] });
    if (!drop) this.#edits.push({ node: server, entity, key, value, cid });
  }

  #start(random: Random): void {
    const [node, server] = random.pick(this.pairs);
    if (this.#processes.some((it) => it.node === node.name && it.peer === server.name)) return;
    this.#processes.push(new Process(node.name, server.name, syncOnce(node, server)));
  }

  #restore(saved: Server): void {
    const { hub } = this;
    hub.become(saved);
    // A node that is restored from a backup is another one.
    if (hub.instance !== null) hub.instance += '+';
    this.#saved = null;
    // It was stopped for that, and whoever was talking to it noticed.
    this.#processes = this.#processes.filter(({ peer }) => peer !== hub.name);
    this.#restored++;
    // What was nowhere but in the remote is gone with it.
    const kept = new Set(
      this.servers.flatMap((it) =>
        [...it.tips.values()].flatMap((tip) => ancestors(tip, (cid) => it.versions.get(cid))),
      ),
    );
    this.#edits = this.#edits.filter(({ node, cid }) => node !== hub || kept.has(cid));
  }

  /** Everything is mended, conflicts are decided, and the invariants looked at. */
  end(random: Random): Outcome {
    const { servers, nodes } = this;
    const rounds = settle(this.pairs, random);
    const restless = rounds >= maxRounds ? [`no rest after ${maxRounds} rounds`] : [];
    return {
      edits: this.#edits.length,
      merges: nodes.reduce((sum, { merges }) => sum + merges, 0),
      decided: nodes.reduce((sum, { decided }) => sum + decided, 0),
      kills: this.#killed,
      resets: this.#restored,
      broken: [
        ...restless,
        ...unequal(servers, this.pairs),
        ...unlike(servers),
        ...missing(this.#edits, servers, nodes, this.pairs),
      ],
    };
  }
}

function prune(hub: Server, random: Random): void {
  const head = hub.feed.at(-1)?.id ?? 0;
  hub.floor = Math.max(hub.floor, head - random.below(6));
}

/** Runs everything without faults, deciding each conflict, until nothing changes any more; the number of rounds. */
function settle(pairs: Link[], random: Random): number {
  let still = 0;
  for (let round = 1; round < maxRounds; round++) {
    const before = pairs.map(([node, server]) => `${node.feed.length} ${server.feed.length}`).join();
    let conflicts = 0;
    for (const [node, server] of pairs) {
      node.mirror(server).refusals.clear();
      server.denied.clear();
      for (const work of [syncOnce(node, server), sweepAll(node, server)]) {
        const process = new Process(node.name, server.name, work);
        for (let i = 0; i < 100_000 && !process.done; i++) process.step(calm, random, false);
      }
      for (const entity of entities)
        if (node.state(server, entity).standing === 'conflict') {
          conflicts++;
          const side = random.pick(['ours', 'theirs'] as const);
          resolve(node, server, entity, () => side);
        }
    }
    const after = pairs.map(([node, server]) => `${node.feed.length} ${server.feed.length}`).join();
    still = before === after && conflicts === 0 ? still + 1 : 0;
    // What a sweep at the end of a round found goes out in the next.
    if (still === 2) return round;
  }
  return maxRounds;
}

/**
 * Whether there are two remotes that keep to their own versions, or one and a node that knows nothing of it, so that all
 * can only say the same.
 */
function areApart(pairs: Link[]): boolean {
  const own = new Set(pairs.map(([, server]) => server).filter(({ instance }) => instance === null));
  return own.size > 1 || (own.size === 1 && pairs.some(([, it]) => it.instance !== null && asksNobody(it, pairs)));
}

function asksNobody(server: Server, pairs: Link[]): boolean {
  return pairs.every(([node]) => node !== server);
}

/** All have the same tips, or what says the same. */
function unequal([hub, ...others]: Server[], pairs: Link[]): string[] {
  if (!hub) return [];
  const apart = areApart(pairs);
  const agree = (server: Server, entity: string): boolean => {
    const [here, there] = [server.tip(entity), hub.tip(entity)];
    // What was made and deleted before the remote heard of it is nobody's business there.
    if (!there) return !here || here.deleted;
    // Nor is what was deleted before it was brought to one that asks nobody who has it.
    if (!here) return there.deleted && pairs.every(([node, peer]) => node !== server || !peer.tip(entity));
    return here.cid === there.cid || (apart && here.content === there.content);
  };
  return others.flatMap((server) =>
    entities
      .filter((entity) => !agree(server, entity))
      .map((entity) => `${entity}: ${server.name} has ${show(server, entity)}, the remote ${show(hub, entity)}`),
  );
}

function show(server: Server, entity: string): string {
  const tip = server.tip(entity);
  return tip ? `${tip.cid} v${tip.ver} ${tip.deleted ? 'deleted' : JSON.stringify(tip.says.properties)}` : 'nothing';
}

/** Every version that is kept is one that somebody wrote (a lie is kept nowhere). */
function unlike(servers: Server[]): string[] {
  return servers.flatMap((server) =>
    [...server.versions.values()]
      .filter(({ says }) => 'lie' in says.properties)
      .map(({ cid }) => `${server.name} keeps the lie ${cid}`),
  );
}

/** Every edit is in the history of the tip on which all agree, or of those that say the same, or in what went into them. */
function missing(edits: Edit[], servers: Server[], nodes: ModelNode[], pairs: Link[]): string[] {
  const apart = areApart(pairs);
  const [hub] = servers;
  const before = new Map<string, string[]>();
  const link = (later: string, earlier: string) => before.set(later, [...(before.get(later) ?? []), earlier]);
  for (const { versions } of servers) for (const { cid, prev } of versions.values()) if (prev !== null) link(cid, prev);
  for (const { taken } of nodes) for (const [later, earlier] of taken) link(later, earlier);
  for (const { replaced } of servers) for (const [later, earlier] of replaced) link(later, earlier);
  const reached = new Set<string>();
  const open = servers
    .flatMap((server) =>
      entities.filter((it) => apart || server === hub || !hub?.tips.has(it)).map((it) => server.tips.get(it)),
    )
    .filter((it) => it !== undefined);
  open.push(...nodes.flatMap(({ undone }) => undone));
  for (let cid = open.pop(); cid !== undefined; cid = open.pop()) {
    if (reached.has(cid)) continue;
    reached.add(cid);
    open.push(...(before.get(cid) ?? []));
  }
  return edits
    .filter(({ cid }) => !reached.has(cid))
    .map(
      ({ node, entity, key, value, cid }) =>
        `${entity}: the edit ${key ?? 'deletion or return'} = ${value} of ${node.name} (${cid}) is nowhere`,
    );
}
