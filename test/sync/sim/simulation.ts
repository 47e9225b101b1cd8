import type { Content } from '../../../src/server/model/three-way.ts';
import { calm, type Faults, Process } from './network.ts';
import { Random } from './random.ts';
import { ancestors, resolve, sweepAll, syncOnce } from './sync.ts';
import { ModelNode, nothing, Server } from './world.ts';

/** What one seed came to. */
export interface Outcome {
  seed: number;
  steps: number;
  edits: number;
  merges: number;
  decided: number;
  kills: number;
  resets: number;
  rounds: number;
  /** What is wrong; empty when every invariant holds. */
  broken: string[];
}

/** An edit that somebody was told is kept. */
interface Edit {
  node: Server;
  entity: string;
  key: string | null;
  value: number;
  cid: string;
}

const entities = ['e0', 'e1', 'e2', 'e3'];
const keys = ['a', 'b', 'c'];
const maxRounds = 60;

/** Three nodes and a remote: `star`, all of them with it; `line`, one with it and the others with that one; `web`, some
 * of these with each other. */
function links(random: Random, hub: Server, nodes: ModelNode[]): [ModelNode, Server][] {
  const [a, b, c] = nodes as [ModelNode, ModelNode, ModelNode];
  if (random.chance(0.6)) return nodes.map((node) => [node, hub]);
  const line: [ModelNode, Server][] = [[a, hub], [b, a], random.chance(0.5) ? [c, a] : [c, b]];
  return random.chance(0.5) ? line : [...line, [a, b], [b, c]];
}

function faultsOf(random: Random): Faults {
  const up = (most: number) => (random.chance(0.3) ? 0 : random.next() * most);
  return { lostRequest: up(0.1), lostAnswer: up(0.1), twice: up(0.1), refused: up(0.1), lie: up(0.05) };
}

/** Plays one seed: edits, syncs, faults; then everything is mended, conflicts are decided, and the invariants looked at. */
export function simulate(seed: number, steps: number): Outcome {
  const random = new Random(seed);
  const hub = new Server('hub', random.chance(0.5) ? null : 'hub-instance');
  const nodes = ['x', 'y', 'z'].map((name) => new ModelNode(name, `${name}-instance`));
  const pairs = links(random, hub, nodes);
  const faults = faultsOf(random);
  const resets = random.chance(0.3);
  let edits: Edit[] = [];
  let saved: Server | null = null;
  const apart = new Set<string>();
  let processes: Process[] = [];
  let value = 0;
  const outcome: Outcome = { seed, steps, edits: 0, merges: 0, decided: 0, kills: 0, resets: 0, rounds: 0, broken: [] };

  const edit = (server: Server): void => {
    const entity = random.pick(entities);
    const tip = server.tip(entity);
    // Ids are random: what a reset forgot is not made a second time by somebody else.
    if (tip === undefined && outcome.resets > 0) return;
    const key = random.pick(keys);
    const remove = tip !== undefined && random.chance(0.1);
    value++;
    if (remove && !tip.deleted) {
      edits.push({ node: server, entity, key: null, value, cid: server.write(entity, nothing).cid });
      return;
    }
    const before: Content = tip && !tip.deleted ? tip.says : { properties: {}, relationships: [] };
    const { [key]: _, ...others } = before.properties;
    const drop = tip !== undefined && !tip.deleted && random.chance(0.1);
    const properties = drop ? others : { ...others, [key]: value };
    const { cid } = server.write(entity, { properties, relationships: [] });
    if (!drop) edits.push({ node: server, entity, key, value, cid });
  };
  const start = (): void => {
    const [node, server] = random.pick(pairs);
    if (processes.some((it) => it.node === node.name && it.peer === server.name)) return;
    processes.push(new Process(node.name, server.name, syncOnce(node, server)));
  };
  const play: { weight: number; act: () => void }[] = [
    { weight: 12, act: () => edit(random.pick([...nodes, ...nodes, hub])) },
    { weight: 8, act: start },
    {
      weight: 100,
      act: () => {
        if (processes.length === 0) return start();
        const process = random.pick(processes);
        process.step(faults, random, apart.has(`${process.node}${process.peer}`));
        processes = processes.filter((it) => !it.done);
      },
    },
    {
      weight: 2,
      act: () => {
        const { name } = random.pick(nodes);
        outcome.kills += processes.filter((it) => it.node === name).length;
        processes = processes.filter((it) => it.node !== name);
      },
    },
    {
      weight: 2,
      act: () => {
        const [node, server] = random.pick(pairs);
        const link = `${node.name}${server.name}`;
        if (!apart.delete(link)) apart.add(link);
      },
    },
    {
      weight: 1,
      act: () => {
        const [node, server] = random.pick(pairs);
        if (!server.denied.delete(node.name)) server.denied.add(node.name);
      },
    },
    { weight: 1, act: () => prune(hub, random) },
    {
      weight: resets ? 1 : 0,
      act: () => {
        if (saved === null) saved = hub.copy();
        else if (random.chance(0.3)) {
          hub.become(saved);
          // A node that is restored from a backup is another one.
          if (hub.instance !== null) hub.instance += '+';
          saved = null;
          // It was stopped for that, and whoever was talking to it noticed.
          processes = processes.filter(({ peer }) => peer !== hub.name);
          outcome.resets++;
          // What was nowhere but in the remote is gone with it.
          const kept = new Set(
            [hub, ...nodes].flatMap((it) =>
              [...it.tips.values()].flatMap((tip) => ancestors(tip, (cid) => it.versions.get(cid))),
            ),
          );
          edits = edits.filter(({ node, cid }) => node !== hub || kept.has(cid));
        }
      },
    },
    {
      weight: 2,
      act: () => {
        const [node, server] = random.pick(pairs);
        const side = random.pick(['ours', 'theirs'] as const);
        resolve(node, server, random.pick(entities), () => side);
      },
    },
  ];
  const total = play.reduce((sum, { weight }) => sum + weight, 0);
  for (let i = 0; i < steps; i++) {
    let at = random.below(total);
    for (const { weight, act } of play) {
      at -= weight;
      if (at < 0) {
        act();
        break;
      }
    }
  }

  outcome.edits = edits.length;
  outcome.rounds = settle(pairs, random);
  outcome.decided = nodes.reduce((sum, { decided }) => sum + decided, 0);
  outcome.merges = nodes.reduce((sum, { merges }) => sum + merges, 0);
  if (outcome.rounds >= maxRounds) outcome.broken.push(`no rest after ${maxRounds} rounds`);
  outcome.broken.push(...unequal(hub, nodes), ...unlike(nodes, hub), ...missing(edits, hub, nodes));
  return outcome;
}

function prune(hub: Server, random: Random): void {
  const head = hub.feed.at(-1)?.id ?? 0;
  hub.floor = Math.max(hub.floor, head - random.below(6));
}

/** Runs everything without faults, deciding each conflict, until nothing changes any more; the number of rounds. */
function settle(pairs: [ModelNode, Server][], random: Random): number {
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

/** All have the same tips. */
function unequal(hub: Server, nodes: ModelNode[]): string[] {
  const agree = (node: ModelNode, entity: string): boolean => {
    const [here, there] = [node.tip(entity), hub.tip(entity)];
    // What was made and deleted before the remote heard of it is nobody's business there.
    if (!there) return !here || here.deleted;
    return here?.cid === there.cid;
  };
  return nodes.flatMap((node) =>
    entities
      .filter((entity) => !agree(node, entity))
      .map((entity) => `${entity}: ${node.name} has ${show(node, entity)}, the remote ${show(hub, entity)}`),
  );
}

function show(server: Server, entity: string): string {
  const tip = server.tip(entity);
  return tip ? `${tip.cid} v${tip.ver} ${tip.deleted ? 'deleted' : JSON.stringify(tip.says.properties)}` : 'nothing';
}

/** Every version that is kept is one that somebody wrote (a lie is kept nowhere). */
function unlike(nodes: ModelNode[], hub: Server): string[] {
  return [...nodes, hub].flatMap((server) =>
    [...server.versions.values()]
      .filter(({ says }) => 'lie' in says.properties)
      .map(({ cid }) => `${server.name} keeps the lie ${cid}`),
  );
}

/** Every edit is in the history of the tip on which all agree, or in what went into a version of it. */
function missing(edits: Edit[], hub: Server, nodes: ModelNode[]): string[] {
  const servers = [hub, ...nodes];
  const before = new Map<string, string[]>();
  const link = (later: string, earlier: string) => before.set(later, [...(before.get(later) ?? []), earlier]);
  for (const { versions } of servers) for (const { cid, prev } of versions.values()) if (prev !== null) link(cid, prev);
  for (const { taken } of nodes) for (const [later, earlier] of taken) link(later, earlier);
  for (const { replaced } of servers) for (const [later, earlier] of replaced) link(later, earlier);
  const reached = new Set<string>();
  const open = servers
    .flatMap((server) => entities.filter((it) => server === hub || !hub.tips.has(it)).map((it) => server.tips.get(it)))
    .filter((it) => it !== undefined);
  for (let cid = open.pop(); cid !== undefined; cid = open.pop()) {
    if (reached.has(cid)) continue;
    reached.add(cid);
    open.push(...(before.get(cid) ?? []));
  }
  return edits
    .filter(({ cid }) => !reached.has(cid))
    .map(
      ({ node, entity, key, value, cid }) =>
        `${entity}: the edit ${key ?? 'deletion'} = ${value} of ${node.name} (${cid}) is nowhere`,
    );
}
