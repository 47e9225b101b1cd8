import { call } from '../call.ts';
import type { Node } from '../processes.ts';

const perBatch = 100;
/** Entities that many others are related to. */
const subjects = 200;
const knownWords = 3000;
const syllables = ['ba', 'co', 'den', 'fir', 'gol', 'hu', 'kan', 'lor', 'mi', 'nes', 'po', 'rus', 'ta', 'ver', 'zin'];

/** What is there before the load begins, and what clients make more of. */
export interface Scene {
  collection: string;
  /** How many there were when the load began. */
  entities: number;
  /** The entities that were there. */
  made: Made[];
  /** A tip that no entity has. */
  staleTip: string;
  /** The last event before the load. */
  since: number;
  words(random: () => number, count: number): string;
  properties(random: () => number): { label: string; text: string };
  /** The body of a new entity; `like`: what it resembles. */
  entity(random: () => number, like?: string): object;
}

/** An entity, its tip and what it resembles: one thing, so that texts and paths become no longer as a load goes on. */
export interface Made {
  id: string;
  cid: string;
  like?: string | undefined;
}

/** An entity's relation to what it resembles. */
export function resembling(like: string) {
  return { predicate: 'resembles', peer: like };
}

/** Fills a new node with so many entities, each related to some that very many are related to. */
export async function prepare(node: Node, entities: number, random: () => number): Promise<Scene> {
  const { id: collection, cid: staleTip } = await call<{ id: string; cid: string }>(node, 'POST /collections', {
    label: 'soak',
  });
  const hubs = await batch(
    node,
    Array.from({ length: subjects }, (_, n) => ({
      type: 'subject',
      collection,
      properties: { label: word(n * 7) },
    })),
  );
  const entity = (next: () => number, like?: string) => ({
    type: 'artwork',
    collection,
    properties: properties(next),
    // Most are of the first ones.
    relationships: [
      ...distinct(Array.from({ length: 3 }, () => hubs[skewed(next, hubs.length)]?.id ?? '')).map((peer) => ({
        predicate: 'subject',
        peer,
        peer_type: 'subject',
      })),
      ...(like === undefined ? [] : [resembling(like)]),
    ],
  });
  const made: Made[] = [];
  for (let at = 0; at < entities; at += perBatch) {
    const likes = Array.from({ length: perBatch }, () => made[Math.floor(random() * made.length)]?.id);
    const tips = await batch(
      node,
      likes.map((like) => entity(random, like)),
    );
    made.push(...tips.map((tip, i) => ({ ...tip, like: likes[i] })));
  }
  const { events } = await call<{ events: { id: number }[] }>(node, 'GET /events?limit=1');
  return { collection, entities, made, staleTip, since: events[0]?.id ?? 1, words, properties, entity };
}

function properties(random: () => number): { label: string; text: string } {
  return { label: words(random, 3), text: words(random, 20 + Math.floor(random() * 60)) };
}

function words(random: () => number, count: number): string {
  return Array.from({ length: count }, () => word(skewed(random, knownWords))).join(' ');
}

function word(n: number): string {
  const base = syllables.length;
  return [n % base, Math.floor(n / base) % base, Math.floor(n / base ** 2) % base].map((i) => syllables[i]).join('');
}

/** A number below `count`, the small ones most often. */
function skewed(random: () => number, count: number): number {
  return Math.floor(count * random() ** 3);
}

function distinct(list: string[]): string[] {
  return [...new Set(list)];
}

async function batch(node: Node, entities: object[]): Promise<{ id: string; cid: string }[]> {
  const made: { id: string; cid: string }[] = [];
  for (let at = 0; at < entities.length; at += perBatch) {
    const body = { entities: entities.slice(at, at + perBatch) };
    const { results } = await call<{ results: { id: string; cid: string }[] }>(node, 'POST /entities/batch', body);
    made.push(...results.map(({ id, cid }) => ({ id, cid })));
  }
  return made;
}
