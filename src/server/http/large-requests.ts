import type { Caller } from '../model/caller.ts';
import type { Network } from '../model/ids.ts';
import type { UnnamedVersions } from '../model/large.ts';
import type { Asker } from '../store/threads/asker-turns.ts';
import type { EndpointRequest } from './endpoint.ts';

/** A request as plain data, for another thread. */
export interface LargeRequest {
  /** As the route table has it. */
  route: { method: string; path: string };
  params: Record<string, unknown>;
  query: Record<string, unknown>;
  headers: Record<string, string | string[] | undefined>;
  caller: Caller;
  /** The JSON body; it is given away. */
  bytes: Uint8Array | undefined;
}

/** What a large request is answered: `json` in UTF-8, undefined for no body. */
export interface LargeAnswer {
  status: number | undefined;
  headers: Record<string, string> | undefined;
  json: Uint8Array | undefined;
}

/** A large body with what is needed of it alone, or why it is refused. */
export type ShortBody = { body: unknown } | { refused: LargeAnswer };

/** Serves what would hold up the event loop on threads of its own (architecture.md, section 2, Reads). */
export interface LargeRequests {
  /**
   * Whether the entities that a request names, or what it asks of them, are too much for the event loop. `unnamed`: the versions
   * that it reads besides.
   */
  isLarge(request: EndpointRequest, unnamed?: UnnamedVersions): boolean;
  /**
   * `asker`: who waits for it; where its client has gone, nothing is done for it when its turn comes.
   * @throws BusyError where too much waits already
   */
  serve(request: LargeRequest, asker: Asker): Promise<LargeAnswer>;
  /** Reads the body of POST /chat, of which little is needed. @throws BusyError likewise */
  shortenChat(bytes: Uint8Array, asker: Asker): Promise<ShortBody>;
}

/** How many bytes of stored JSON an id or a CID stands for; 0 where there are none. */
export interface Sizes {
  ofEntity(network: Network, id: string): number;
  ofVersion(network: Network, cid: string): number;
  /** Of a page of an entity's history, from a version on. */
  ofHistory(network: Network, id: string, from: string | null): number;
  /** Of a version and the one before it; of the current one where none is named. */
  ofPair(network: Network, id: string, cid: string | null): number;
  /** Of an entity's largest version. */
  ofLargest(network: Network, id: string): number;
}

/** Endpoints that read no manifest, or leave a large one to a reader thread by themselves; what they expand may be anything. */
const light = new Set(['get /entities/:id', 'get /entities/:id/tip']);

/**
 * Whether the weight of a request to an endpoint has to be looked at only where it expands: the most frequent ones, and searches,
 * which read the index alone, and have no vectors from elsewhere on a request thread.
 */
export function isLight({ method, path }: LargeRequest['route']): boolean {
  return light.has(`${method} ${path}`) || path.startsWith('/search/');
}

/** Members of a body that name entities which the request reads or changes, besides those of its path. */
const named = [
  ...['ids', 'source_id', 'target_id', 'child_id', 'parent_id', 'parent', 'children', 'updates'],
  ...['collection_id', 'entity_id'],
  // What is made under an id of the caller's choice is compared with what is there.
  ...['id', 'entities'],
];
/** Parameters that name versions. */
const versions = ['from', 'to'];
/** More ids than the endpoints allow are refused later. */
const maxNamed = 100;

/** The versions that an endpoint reads where the request does not name them. */
export function unnamedVersions({ path }: LargeRequest['route']): UnnamedVersions | undefined {
  if (path === '/versions/:id') return 'page';
  // A conflict's versions are of this entity, but neither named nor next to each other.
  if (path.startsWith('/node/conflicts/:id')) return 'any';
  return path === '/entities/:id/diff' ? 'previous' : undefined;
}

/** What a request would read, in bytes; a peer's expansion may be anything. */
export function weight(
  { params, query, body, caller }: EndpointRequest,
  sizes: Sizes,
  unnamed?: UnnamedVersions,
): number {
  if (query.expand !== undefined) return Number.POSITIVE_INFINITY;
  if (unnamed === 'any') return sizes.ofLargest(caller.network, String(params.id));
  if (unnamed === 'page' || (unnamed === 'previous' && query.from === undefined)) {
    const { network } = caller;
    const id = String(params.id);
    const start = unnamed === 'page' ? query.from : query.to;
    const of = unnamed === 'page' ? sizes.ofHistory : sizes.ofPair;
    // The newest one is read in any case.
    return typeof start === 'string' ? sizes.ofEntity(network, id) + of(network, id, start) : of(network, id, null);
  }
  let sum = 0;
  for (const [name, value] of Object.entries(params))
    if (typeof value === 'string')
      sum += name === 'cid' ? sizes.ofVersion(caller.network, value) : sizes.ofEntity(caller.network, value);
  for (const name of versions) {
    const value = query[name];
    if (typeof value === 'string') sum += sizes.ofVersion(caller.network, value);
  }
  if (isLongUpdate(body)) return Number.POSITIVE_INFINITY;
  for (const id of idsIn(body)) sum += sizes.ofEntity(caller.network, id);
  return sum;
}

function idsIn(body: unknown): string[] {
  if (typeof body !== 'object' || body === null) return [];
  const members = body as Record<string, unknown>;
  return named
    .filter((name) => Object.hasOwn(members, name))
    .flatMap((name) => members[name])
    .slice(0, maxNamed)
    .map(idOf)
    .filter((id) => typeof id === 'string');
}

/** More updates at once than are checked on the event loop. */
function isLongUpdate(body: unknown): boolean {
  if (typeof body !== 'object' || body === null || !Object.hasOwn(body, 'updates')) return false;
  const { updates } = body as { updates: unknown };
  return Array.isArray(updates) && updates.length > maxNamed;
}

/** An id, or what an item of a list names by it. */
function idOf(one: unknown): unknown {
  if (typeof one !== 'object' || one === null) return one;
  return 'id' in one ? one.id : 'entity_id' in one ? one.entity_id : one;
}
