import './store/threads/sqlite-thread.ts';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { MessagePort } from 'node:worker_threads';
import type { Finding } from './chat/tools.ts';
import type { Config } from './config.ts';
import { BusyError, DomainError, type PlainRefusal, plainRefusal, StorageError } from './errors.ts';
import { table } from './generated/routes.ts';
import { parseJson } from './http/body.ts';
import { bodyCheck, type Endpoint, type EndpointAnswer, endpoints } from './http/endpoint.ts';
import { answerOf } from './http/errors.ts';
import { serviceFactoryOf } from './http/ioc.ts';
import type { LargeAnswer, LargeRequest, ShortBody } from './http/large-requests.ts';
import { movable } from './http/movable.ts';
import { jsonText } from './http/stored-json.ts';
import type { Caller } from './model/caller.ts';
import type { ContentArrival } from './model/content-entries.ts';
import { type Network, networks as networkNames } from './model/ids.ts';
import { shortened } from './resources/chat/messages.ts';
import type { ChatBody } from './resources/chat/wire.ts';
import { Links } from './resources/content/links.ts';
import type { ContentWrittenView } from './resources/content/wire.ts';
import type { FileArrival, FileEntered } from './resources/files/service.ts';
import { SearchEngine } from './search/engine.ts';
import { buildServices, type Services } from './services.ts';
import { Identity } from './store/accounts/identity.ts';
import { identityFile } from './store/accounts/identity-schema.ts';
import type { AdditiveGroup } from './store/additive.ts';
import type { Commit, Outcome } from './store/commit.ts';
import type { OpenFiles } from './store/file-identity.ts';
import { databaseFile, NetworkStore } from './store/network-store.ts';
import { moved } from './store/threads/moved.ts';

/** What a task is given when its turn comes. */
export interface Turn {
  /** The time for everything in it, epoch milliseconds. */
  now: number;
  config: Config;
  openFiles: OpenFiles;
}

/** One large request, with the way back for what it writes. */
export interface RequestTask extends Turn {
  request: LargeRequest;
  port: MessagePort;
}

/** What the thread sends through the port, one at a time, and what it is answered. */
export interface Submission {
  commits: Commit[];
}
export type SubmissionAnswer =
  | { outcomes: Outcome[] }
  | { busy: { retryAfter: number; reason: string } }
  | { failed: { reason: string; full: boolean } };

/** The way back of the task in hand: a thread has one at a time. */
let inHand: Pick<RequestTask, 'port'> | undefined;
/** The time for everything in the task in hand. */
let clock: number | undefined;
/** Of the databases that the node has open, at its beginning. */
let open: OpenFiles = {};
let here: { endpoints: Map<string, Endpoint>; services: Services; networks: Beside } | undefined;

interface Beside {
  get: (network: Network) => NetworkStore;
}

/** Additive updates of a large entity, to be prepared. */
export interface AdditiveTask extends Turn {
  network: Network;
  group: AdditiveGroup;
  attempts: number;
}

export function prepareAdditive({ network, group, attempts, ...turn }: AdditiveTask): Promise<Commit> {
  const { services, networks } = begin(turn);
  return services.additions.prepare(networks.get(network), group, attempts);
}

/** A use of a tool of language models. */
export interface ToolTask extends Turn {
  name: string;
  caller: Caller;
  args: unknown;
}

/** What it found, cut as the language model gets it, or why it was refused. */
export type ToolAnswer = { found: CutFinding } | { refused: string };
export type CutFinding = Finding & { text: string };

export async function runTool({ name, caller, args, ...turn }: ToolTask): Promise<ToolAnswer> {
  const [{ nodeTools }, { bounded, refusalOf }] = await Promise.all([
    import('./chat/node-tools.ts'),
    import('./chat/tools.ts'),
  ]);
  const { services } = begin(turn);
  const tool = nodeTools({ ...services, ...services.entities }).find((one) => one.name === name);
  if (!tool) throw new Error(`${name} is no tool for a thread`);
  try {
    const found = await tool.run(caller, args);
    const { output: value, text } = bounded(found);
    return { found: { ...found, value, text } };
  } catch (error) {
    const refused = refusalOf(error);
    if (refused === undefined) throw error;
    return { refused };
  }
}

/** Bytes for large entities, and what comes of them; see ContentService.enter and FilesService.enter. */
export interface Arrivals {
  enterContent: { arrival: ContentArrival; entered: ContentWrittenView };
  enterFile: { arrival: FileArrival; entered: FileEntered };
}

export interface EnterTask<N extends keyof Arrivals> extends Omit<RequestTask, 'request'> {
  caller: Caller;
  arrival: Arrivals[N]['arrival'];
}

export type EnterAnswer<N extends keyof Arrivals> = { entered: Arrivals[N]['entered'] } | { refused: PlainRefusal };

export function enterContent(task: EnterTask<'enterContent'>): Promise<EnterAnswer<'enterContent'>> {
  return entering<'enterContent'>(task, ({ content }) => content.enter(task.caller, task.arrival));
}

export function enterFile(task: EnterTask<'enterFile'>): Promise<EnterAnswer<'enterFile'>> {
  return entering<'enterFile'>(task, async ({ files }) => {
    const { declared, made } = await files.enter(task.caller, task.arrival);
    // It is as large as the entity: the event loop only sends it.
    return { declared, made: made && new TextEncoder().encode(JSON.stringify(made)) };
  });
}

async function entering<N extends keyof Arrivals>(
  task: EnterTask<N>,
  enter: (bytes: Services['bytes']) => Promise<Arrivals[N]['entered']>,
): Promise<EnterAnswer<N>> {
  inHand = task;
  try {
    return { entered: await enter(begin(task).services.bytes) };
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    return { refused: plainRefusal(error) };
  } finally {
    task.port.close();
    inHand = undefined;
  }
}

const chatRoute = table.routes.find(({ method, path }) => method === 'post' && path === '/chat');
let readChat: ReturnType<typeof bodyCheck> | undefined;

export function shortenChat({ bytes }: { bytes: Uint8Array }): ShortBody {
  if (!chatRoute) throw new Error('there is no chat');
  readChat ??= bodyCheck(table.models, chatRoute);
  try {
    return { body: shortened(readChat(parseJson(bytes)) as ChatBody) };
  } catch (error) {
    return { refused: refusal(error) };
  }
}

/** Serves one request as the event loop would. */
export async function serveLarge(task: RequestTask): Promise<LargeAnswer> {
  inHand = task;
  const { route, params, query, headers, caller, bytes } = task.request;
  try {
    const endpoint = begin(task).endpoints.get(`${route.method} ${route.path}`);
    if (!endpoint) throw new Error(`${route.method} ${route.path} is no endpoint for a thread`);
    const body = bytes && parseJson(bytes);
    const answer = plain(await endpoint({ params, query, headers, caller, body }));
    return await moved(answer, answer.json);
  } catch (error) {
    return refusal(error);
  } finally {
    task.port.close();
    inHand = undefined;
  }
}

/** @throws what is no refusal */
function refusal(error: unknown): LargeAnswer {
  if (!(error instanceof DomainError)) throw error;
  const { status, headers, body } = answerOf(error);
  return plain({ status, headers, value: body });
}

function plain({ status, headers, value }: EndpointAnswer): LargeAnswer {
  const json = value === undefined || value === null ? undefined : jsonText(value);
  return { status, headers, json: typeof json === 'string' ? new TextEncoder().encode(json) : json };
}

/** All that this thread has, as it is for a task. */
function begin({ now, config, openFiles }: Turn): NonNullable<typeof here> {
  clock = now;
  open = openFiles;
  here ??= build(config);
  return here;
}

function build(config: Config): NonNullable<typeof here> {
  const now = () => clock ?? Date.now();
  const stores = new Map<Network, NetworkStore>();
  const networks = {
    get: (network: Network) => {
      const known = stores.get(network);
      const fileId = open[databaseFile(config.data, network)] ?? null;
      if (known && known.fileId === fileId) return known;
      // The node has opened another one since.
      void known?.close();
      stores.delete(network);
      const store = NetworkStore.beside(config.data, network, fileId, {
        submit,
        load: () => ({ groups: 0, waitingBytes: 0, checkpointFault: null }),
        close: async () => undefined,
      });
      stores.set(network, store);
      return store;
    },
    existing: async () =>
      networkNames.filter((it) => existsSync(databaseFile(config.data, it))).map((it) => networks.get(it)),
  };
  const identity = new Identity(config.data, {
    now,
    randomBytes,
    fileId: open[join(config.data, identityFile)] ?? null,
  });
  const search = new SearchEngine(
    null,
    undefined,
    config.embed && 'A request of this size is searched by words alone.',
  );
  const links = new Links(randomBytes(32));
  const services = buildServices({ config, networks, identity, search, links, large: null, now });
  const endpointOf = endpoints(table.models);
  const served = new Map(
    table.routes.filter(movable).flatMap((route) => {
      const make = serviceFactoryOf(route.controller);
      return make ? [[`${route.method} ${route.path}`, endpointOf(route, () => make(services))] as const] : [];
    }),
  );
  return { endpoints: served, services, networks };
}

/** Passes commits on to the thread that has the writer. */
async function submit(commits: Commit[]): Promise<Outcome[]> {
  if (!inHand) throw new Error('a commit without a request');
  const { port } = inHand;
  const answered = once(port, 'message') as Promise<[SubmissionAnswer]>;
  port.postMessage({ commits } satisfies Submission);
  const [answer] = await answered;
  if ('outcomes' in answer) return answer.outcomes;
  if ('busy' in answer) throw new BusyError(answer.busy.retryAfter, answer.busy.reason);
  throw new StorageError(answer.failed.reason, answer.failed.full);
}
