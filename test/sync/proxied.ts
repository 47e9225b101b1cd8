import { operator, type Person, user } from '../helpers/callers.ts';
import { collection, create, type Entity } from '../helpers/entities.ts';
import { type StartOptions, startNode, type TestNode } from '../helpers/node.ts';
import { addRemote, keyOf } from './nodes.ts';
import { type FaultyRemote, startProxy } from './proxy.ts';

/** A mirror that reaches its origin, which has a collection, only through a proxy. */
export interface Proxied extends AsyncDisposable {
  origin: TestNode;
  mirror: TestNode;
  proxy: FaultyRemote;
  /** Whose key the mirror has. */
  curator: Person;
  here: Person;
  place: Entity;
  works: Entity[];
}

interface Wanted {
  origin?: StartOptions;
  mirror?: StartOptions;
  proxy?: Parameters<typeof startProxy>[1];
  /** How many the collection holds. */
  works?: number;
  /** What the remote is added with beside address and key. */
  remote?: object;
  /** What happens before the remote is added. */
  prepare?: (scene: Omit<Proxied, keyof AsyncDisposable>) => unknown;
}

export async function startProxied(wanted: Wanted = {}): Promise<Proxied> {
  await using opened = new AsyncDisposableStack();
  const origin = opened.use(await startNode(wanted.origin));
  const mirror = opened.use(await startNode(wanted.mirror));
  const proxy = opened.use(await startProxy(origin.url, wanted.proxy));
  const curator = await user(origin, 'curator');
  const here = operator(mirror);
  const place = await collection(origin, curator, { label: 'Works' });
  const works: Entity[] = [];
  for (let n = 0; n < (wanted.works ?? 0); n++)
    works.push(await create(origin, curator, { collection: place.id, properties: { n } }));
  const scene = { origin, mirror, proxy, curator, here, place, works };
  await wanted.prepare?.(scene);
  await addRemote(mirror, here, { url: proxy.url, key: keyOf(curator), ...wanted.remote });
  const all = opened.move();
  return { ...scene, [Symbol.asyncDispose]: () => all.disposeAsync() };
}
