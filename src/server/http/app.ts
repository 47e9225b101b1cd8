import { type ParsedUrlQuery, parse } from 'node:querystring';
import express, { type Express, type RequestHandler } from 'express';
import type { Context } from '../context.ts';
import { ValidationError } from '../errors.ts';
import { table } from '../generated/routes.ts';
import { type Caller, type CallerRequest, isSession, type KeyCredential } from '../model/caller.ts';
import { errorHandler, failureAnswer, unknownRoute } from './errors.ts';
import { admit, admitSession, namesManyHosts, type OwnNames } from './host.ts';
import { jsonBytes } from './json-bytes.ts';
import { pages } from './pages.ts';
import { routesOf } from './routes.ts';
import { sendJson } from './stored-json.ts';

export interface AppOptions {
  own: OwnNames;
  /** The folder of the built page, if there is one. */
  ui: string | null;
  /** Further endpoints, before the unknown ones are refused; tests add some that fail. */
  extend?: ((app: Express, ctx: Context) => void) | undefined;
}

/** The express edge: host check, caller, JSON, routes, unknown paths, errors last. */
export function createApp(ctx: Context, { own, ui, extend }: AppOptions): Express {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.set('query parser', queryOf);
  app.use((request, response, next) => {
    ctx.requests.watch(request, response);
    next();
  });
  app.use(gate(own));
  app.use(pages({ ui }));
  app.use(identify(ctx));
  app.use(jsonBytes());
  app.use(inTurn(ctx));
  extend?.(app, ctx);
  app.all('/mcp', onlyPost);
  app.use(routesOf(table, ctx));
  app.use(() => {
    throw unknownRoute();
  });
  app.use(errorHandler(failureAnswer(ctx.log)));
  return app;
}

/** Bytes that are no UTF-8 would all become the same sign. @throws ValidationError */
function queryOf(text: string | null): ParsedUrlQuery {
  if (text?.includes('%') && !isDecodable(text))
    throw ValidationError.at([], 'the query is percent-encoded in another way than as UTF-8');
  return parse(text ?? '');
}

/** A percent sign that begins nothing stands for itself. */
function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text.replace(/%(?![0-9a-f]{2})/gi, '%25'));
    return true;
  } catch {
    return false;
  }
}

/** No answer of this server carries a CORS header, so a preflight is answered with nothing. */
function gate(own: OwnNames): RequestHandler {
  return (request, response, next) => {
    const { host, origin } = request.headers;
    if (namesManyHosts(request.rawHeaders)) throw ValidationError.at(['Host'], 'must be given once');
    admit({ method: request.method, host, origin }, own);
    if (!request.url.startsWith('/')) throw ValidationError.at([], 'the request must name a path');
    if (request.method === 'OPTIONS') response.writeHead(204).end();
    else next();
  };
}

/** Whatever is asked of one agent, klados or rhiza; what starts it is among that. */
const processorPaths = /^\/(?:agents|kladoi|rhizai)\//;

/** What starts processors and what these ask for takes turns: each is a lot of work, and they come in bursts. */
function inTurn({ loopShare }: Context): RequestHandler {
  return (request, response, next) => {
    const begin = () => {
      // Its client may have left while it waited.
      if (!response.destroyed) next();
    };
    const { caller } = request as unknown as CallerRequest;
    if (caller.actor.kind === 'processor' || processorPaths.test(request.path)) loopShare.run(begin);
    else next();
  };
}

/** Clients of the tool server ask by GET whether it has a stream of events, and take this for a no. */
const onlyPost: RequestHandler = (request, response, next) => {
  if (request.method === 'POST') return next();
  sendJson(response, 405, { error: 'Method not allowed: send messages by POST' }, { Allow: 'POST' });
};

/** Endpoints of every node that need no credentials, and where wrong ones do no harm. */
const open = new Set([
  '/health',
  '/openapi.json',
  '/ops-reference',
  '/.well-known/archeion',
  '/.well-known/signing-key',
  '/node/session',
]);

/** Puts `caller` on the request; without a tick where the answer is at hand. */
function identify(ctx: Context): RequestHandler {
  const networkHeader = `x-${ctx.config.service}-network`;
  return (request, response, next) => {
    const set = (caller: Caller): void => {
      // Its client has left while its credentials were looked at: what waits for its end would never hear of it.
      if (response.destroyed) return;
      if (isSession(caller)) admitSession({ method: request.method, origin: request.headers.origin });
      const { socket } = request;
      const from = { address: socket.remoteAddress ?? '', hasLeft: () => socket.destroyed };
      const { credential } = caller;
      const revoked = credential?.method === 'api_key' && { isRevoked: () => isOver(caller, credential, ctx) };
      Object.assign(request, { caller: { ...caller, ...from, ...revoked } satisfies Caller });
      next();
    };
    if (open.has(request.path)) return set({ actor: { kind: 'anonymous' }, network: 'main' });
    const { authorization, cookie } = request.headers;
    const onBehalfOf = text(request.headers['x-on-behalf-of']);
    const caller = ctx.authenticate({
      authorization,
      cookie,
      onBehalfOf,
      network: text(request.headers[networkHeader]),
    });
    return caller instanceof Promise ? caller.then(set) : set(caller);
  };
}

/** Whether a key that was good is so no longer. */
function isOver(caller: Caller, { id, expiresAt }: KeyCredential, ctx: Context): boolean {
  return ctx.identity.isRevoked(id) || (expiresAt !== null && expiresAt <= ctx.now()) || isOut(caller, ctx);
}

/** Whether a processor has been deleted or disabled; its network is open, since its key was found to be good. */
function isOut({ actor, network }: Caller, { processors }: Context): boolean {
  return actor.kind === 'processor' && processors.standing.isOut({ id: actor.id, network }) === true;
}

/** Node joins repeated headers of these names with commas; only their types say that there may be a list. */
function text(header: string | string[] | undefined): string | undefined {
  return typeof header === 'string' ? header : header?.join();
}
