import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { join, resolve } from 'node:path';
import type { Readable } from 'node:stream';
import { setTimeout, setImmediate as turn } from 'node:timers/promises';
import { type Config, readConfig, UsageError } from '../../config.ts';
import { version } from '../../generated/version.ts';
import { clientHeader } from '../../model/client-header.ts';
import { fromJson } from '../../model/from-json.ts';
import { type Network, networks } from '../../model/ids.ts';
import { http } from '../../node-http.ts';
import type { RunningNode } from '../../server.ts';
import { identityFile } from '../../store/accounts/identity-schema.ts';
import { operatorKeyFile, readOperatorKey } from '../../store/accounts/operator-key.ts';
import { networkDatabase } from '../../store/network-folders.ts';
import { FailureError, LostNodeError, RefusedError } from './failure.ts';
import { jsonLines } from './json-lines.ts';
import { nodeOnFolder, refuseRoot } from './node-on-folder.ts';
import { type AskedNode, isUnknownEndpoint, OtherVersionError } from './other-version.ts';
import type { GlobalOptions, Shell } from './shell.ts';

/** A node as the commands use it: its REST endpoints, asked as the operator on the chosen network. Disposing ends its requests. */
export interface NodeClient extends AsyncDisposable {
  url: string;
  /** Whether it is another process; else it ends with this command. */
  running: boolean;
  config: Config;
  /** One request; the parsed JSON of the answer, undefined where it has none. @throws RefusedError, FailureError */
  ask<T>(method: string, path: string, body?: unknown): Promise<T>;
  /**
   * Sends a stream and gives the answer's JSON lines as they come, also while it is still sent. Once they end, the
   * stream is not read on. @throws RefusedError, FailureError
   */
  send<T>(method: string, path: string, source: Readable, type?: string): AsyncGenerator<T>;
  /** One request whose answer is bytes, with a stream as its body where one is given. @throws RefusedError, FailureError */
  fetch(method: string, path: string, source?: Readable): Promise<IncomingMessage>;
}

interface ClientOptions {
  mustRun?: boolean;
  mayMake?: boolean;
  network?: 'there' | 'made' | 'any';
}

/** How often it is looked, and for how long others may be between two requests, in milliseconds. */
const [lookMs, betweenMs] = [300, 1500];

/**
 * The node that `<data>/node.json` names if it answers, else one that this process runs until the client is disposed of
 * (decisions.md, The command line). With `mustRun` it is the former; only with `mayMake` is a data folder made where there
 * is none. `network`: whether the one that is named must be there, may be made, or is not what the command is about.
 * @throws FailureError, UsageError; StorageError where what a node had was lost
 */
export async function openClient(
  shell: Shell,
  flags: GlobalOptions,
  { mustRun = false, mayMake = false, network: use = mayMake ? 'made' : 'there' }: ClientOptions = {},
): Promise<NodeClient> {
  const { config: given, secrets } = readConfig(shell.env, flags, shell.dataFolder);
  const data = resolve(given.data);
  const isThere = (network: Network) => existsSync(join(data, network, networkDatabase));
  // Of one that has a folder and no database the node says that it was lost.
  const isNone = !existsSync(join(data, given.network));
  const network = (use === 'any' && isNone ? networks.find(isThere) : undefined) ?? given.network;
  const config = { ...given, network };
  const requireNetwork = async () => {
    if (use !== 'there' || isThere(network)) return;
    const { writtenIn } = await import('./written-network.ts');
    writtenIn(data, network);
  };
  await using opened = new AsyncDisposableStack();
  const own = randomUUID();
  let url: string | undefined;
  const start = async () => {
    if (mustRun) {
      // One that starts has the folder before it answers.
      const { refuseLocked } = await import('../../store/lock.ts');
      refuseLocked(data);
      throw new FailureError(
        `No node runs on ${data}: name its folder with --data, or start one with "archeion serve".`,
      );
    }
    const isNew = !existsSync(join(data, identityFile));
    if (isNew && !mayMake) {
      const { refuseLostIdentity } = await import('../../store/lost-database.ts');
      refuseLostIdentity(data);
      throw noNode(data);
    }
    refuseRoot(data);
    if (!isNew) await requireNetwork();
    const quiet = {
      ...config,
      host: '127.0.0.1',
      port: 0,
      logLevel: config.logLevel === 'info' ? 'warn' : config.logLevel,
    };
    // Most commands find a node that runs: they load nothing of one.
    const { startServer } = await import('../../server.ts');
    const { logInWords } = await import('./log-in-words.ts');
    const { pid, isRunning, stopped } = shell;
    // What is asked for by its setting, and what programs read, stays as it is.
    const log = shell.terminal && config.logLevel === 'info' ? { log: logInWords(shell.err) } : {};
    const node = opened.use(
      await startServer(quiet, secrets, { pid, isRunning, ui: null, lent: true, stopped, ...log }),
    );
    // Where that was before it has completed what an earlier one left, nobody is to take what is there for all of it.
    if (stopped.aborted) throw new FailureError('Stopped.');
    opened.defer(() => othersDone(node.ctx.requests, own, shell));
    url = node.url;
    if (isNew) shell.err(`Made a new node in ${data}.`);
  };
  const other = await nodeOnFolder(data, shell, start);
  if (other) {
    await requireNetwork();
    shell.asks?.(other);
  }
  url ??= other?.url;
  const keyFile = operatorKeyFile(data);
  const key = readOperatorKey(keyFile);
  if (!key || !url) throw new FailureError(`The operator's key cannot be read: ${keyFile}.`);
  const headers = {
    Authorization: `ApiKey ${key}`,
    [`X-${config.service}-Network`]: config.network,
    [clientHeader]: own,
  };
  const ended = new AbortController();
  opened.defer(() => ended.abort());
  const signal = AbortSignal.any([shell.stopped, ended.signal]);
  const all = opened.move();
  return {
    ...clientOf({ url, version: other?.version ?? version }, { headers, signal }),
    config,
    running: other !== null,
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}

/**
 * Waits for what other commands ask of a node that this one, which calls itself `own`, runs: they found it, and would be cut off
 * with it. Also where this one was stopped; while it waits it ends at once, by the signal or by
 * the second one (cli.ts).
 */
async function othersDone(
  requests: RunningNode['ctx']['requests'],
  own: string,
  { stopped, err }: Shell,
): Promise<void> {
  const never = new AbortController().signal;
  const end = stopped.aborted ? never : stopped;
  const way = stopped.aborted ? ' Ctrl-C once more ends it at once.' : '';
  let isSaid = false;
  // One command asks several things, one after the other, first of all whether there is a node.
  while (!end.aborted && (requests.isBusy(own) || requests.sinceOthers(own) < betweenMs)) {
    if (requests.isBusy(own) && !isSaid) {
      isSaid = true;
      err(`Other commands use the node that this one runs: it ends when they have ended.${way}`);
    }
    await requests.rest(own, end);
    await setTimeout(lookMs, undefined, { signal: end }).catch(() => undefined);
    // What has come in meanwhile counts, also where this process was kept from looking for longer than others may be.
    await turn();
  }
}

/** What is said of a folder in which nobody has made a node. */
export function noNode(data: string): UsageError {
  return new UsageError(`There is no node in ${data}: name its folder with --data, or begin with "archeion serve".`);
}

function clientOf(
  node: AskedNode,
  { headers, signal }: { headers: Record<string, string>; signal: AbortSignal },
): Pick<NodeClient, 'url' | 'ask' | 'send' | 'fetch'> {
  const { url } = node;
  const start = (method: string, path: string, type: string) => {
    const all = { ...headers, 'Content-Type': type };
    return http.request(new URL(path, url), { method, agent: false, signal, headers: all });
  };

  const lost = (error: unknown): FailureError => {
    if (signal.aborted) return new FailureError('Stopped.');
    const reason = error instanceof Error ? error.message : String(error);
    return new LostNodeError(`The node at ${url} ended the connection (${reason}).`);
  };

  /** Sends a source, where there is one, as the body of a request; gives what people are told where either has failed. */
  function feed(request: ReturnType<typeof start>, source: Readable | undefined): (error: unknown) => FailureError {
    // What cannot be sent any more does not matter once the node has answered; what cannot be read ends it.
    let broken: Error | undefined;
    source?.once('error', (error) => {
      broken = error;
      request.destroy(error);
    });
    if (source) source.pipe(request);
    else request.end();
    return (error) => {
      if (broken && !signal.aborted)
        return broken instanceof FailureError ? broken : new FailureError(`${broken.message}.`);
      return error instanceof FailureError ? error : lost(error);
    };
  }

  async function ask<T>(method: string, path: string, body?: unknown): Promise<T> {
    const request = start(method, path, 'application/json');
    request.end(body === undefined ? undefined : JSON.stringify(body));
    try {
      return (await answered(await responseOf(request), node)) as T;
    } catch (error) {
      throw error instanceof FailureError ? error : lost(error);
    }
  }

  async function* send<T>(
    method: string,
    path: string,
    source: Readable,
    type = 'application/octet-stream',
  ): AsyncGenerator<T> {
    const request = start(method, path, type);
    const failed = feed(request, source);
    try {
      const response = await responseOf(request);
      request.on('error', () => undefined);
      // Who leaves off ends the connection, and nobody else hears of that.
      response.on('error', () => undefined);
      if (response.statusCode !== 200) await answered(response, node);
      yield* jsonLines<T>(response);
      if (!response.complete) throw new Error('before its answer ended');
    } catch (error) {
      throw failed(error);
    } finally {
      source.destroy();
      request.destroy();
    }
  }

  async function fetch(method: string, path: string, source?: Readable): Promise<IncomingMessage> {
    const request = start(method, path, 'application/octet-stream');
    const failed = feed(request, source);
    try {
      const response = await responseOf(request);
      request.on('error', () => undefined);
      if (response.statusCode !== 200) await answered(response, node);
      return response;
    } catch (error) {
      throw failed(error);
    }
  }
  return { url, ask, send, fetch };
}

async function responseOf(request: ReturnType<typeof http.request>): Promise<IncomingMessage> {
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  return response;
}

async function answered(response: IncomingMessage, node: AskedNode): Promise<unknown> {
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  const text = Buffer.concat(chunks).toString();
  const body: unknown = text === '' ? undefined : fromJson(text);
  const status = response.statusCode ?? 0;
  if (isUnknownEndpoint(status, body)) throw new OtherVersionError(node);
  if (status < 200 || status > 299) throw new RefusedError(status, body);
  return body;
}
