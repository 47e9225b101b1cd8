import express, { type Express, type RequestHandler } from 'express';
import type { Context } from '../context.ts';
import { ValidationError } from '../errors.ts';
import { table } from '../generated/routes.ts';
import { type Network, networks } from '../model/ids.ts';
import { jsonBody } from './body.ts';
import type { Caller, CallerHeaders } from './caller.ts';
import { errorHandler, unknownRoute } from './errors.ts';
import { admit, type OwnNames } from './host.ts';
import { pages } from './pages.ts';
import { type RouteTable, routesOf } from './routes.ts';

export interface AppOptions {
  own: OwnNames;
  /** The folder of the built page, if there is one. */
  ui: string | null;
  /** Further endpoints, before the unknown ones are refused; tests add some that fail. */
  extend?: (app: Express) => void;
  routes?: RouteTable;
}

/** The express edge: host check, caller, JSON, routes, unknown paths, errors last. */
export function createApp(ctx: Context, { own, ui, extend, routes = table }: AppOptions): Express {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.set('query parser', 'simple');
  app.use(gate(own));
  app.use(pages({ ui }));
  app.use(identify(ctx));
  app.use(jsonBody());
  extend?.(app);
  app.use(routesOf(routes, ctx));
  app.use(() => {
    throw unknownRoute();
  });
  app.use(errorHandler(ctx.log.child({ name: 'http' })));
  return app;
}

/** No answer of this server carries a CORS header, so a preflight is answered with nothing. */
function gate(own: OwnNames): RequestHandler {
  return (request, response, next) => {
    const { host, origin } = request.headers;
    admit({ method: request.method, host, origin }, own);
    if (!request.url.startsWith('/')) throw ValidationError.at([], 'the request must name a path');
    if (request.method === 'OPTIONS') response.writeHead(204).end();
    else next();
  };
}

/** Endpoints of every node that need no credentials, and where wrong ones do no harm. */
const open = new Set(['/health', '/openapi.json', '/.well-known/archeion']);

/** Puts `caller` on the request; without a tick where the answer is at hand. */
function identify(ctx: Context): RequestHandler {
  const networkHeader = `X-${ctx.config.service.replace(/^./, (first) => first.toUpperCase())}-Network`;
  const networkName = networkHeader.toLowerCase();

  return (request, _response, next) => {
    const network = networkNamed(request.headers[networkName], networkHeader);
    const set = (caller: Caller): void => {
      Object.assign(request, { caller });
      next();
    };
    if (open.has(request.path)) return set({ actor: { kind: 'anonymous' }, network });
    const { authorization, cookie, 'x-on-behalf-of': onBehalfOf } = request.headers;
    const headers: CallerHeaders = { authorization, cookie, onBehalfOf: onBehalfOf?.toString(), network };
    const caller = ctx.authenticate(headers);
    return caller instanceof Promise ? caller.then(set) : set(caller);
  };
}

function networkNamed(value: string | string[] | undefined, header: string): Network {
  const network = value === undefined ? 'main' : networks.find((name) => name === value);
  if (!network) throw ValidationError.at([header], `must be one of ${networks.join(', ')}`);
  return network;
}
