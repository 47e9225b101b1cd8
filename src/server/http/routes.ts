import { type Request, type RequestHandler, type Response, Router } from 'express';
import type { Context } from '../context.ts';
import { type Caller, type CallerRequest, plainCaller, refuseRevoked, registered } from '../model/caller.ts';
import { maxOnLoop } from '../model/large.ts';
import { isUnannounced, parseJson, refuseForm } from './body.ts';
import { type Endpoint, type EndpointAnswer, type EndpointRequest, endpoints } from './endpoint.ts';
import { type AnswerFailed, failureAnswer } from './errors.ts';
import { type ControllerClass, factoryOf } from './ioc.ts';
import { isLight, type LargeAnswer, type LargeRequests, unnamedVersions } from './large-requests.ts';
import { movable } from './movable.ts';
import { type RouteTally, tallied } from './request-tally.ts';
import type { Models, Parameter } from './schema.ts';
import { StoredJson, sendJson } from './stored-json.ts';

/** One endpoint as build/generate.ts writes it. */
export interface RouteData {
  controller: ControllerClass;
  method: string;
  path: string;
  /** The name of the controller's method. */
  action: string;
  /** Who may call: anyone, whoever is registered, whoever shows a token of the identity provider, or the node's secret. */
  caller: 'anyone' | 'registered' | 'token' | 'secret';
  /** The status of a success; without one 200, or 204 where there is no body. */
  status?: number | undefined;
  parameters: Parameter[];
  /** Takes or gives other than JSON. */
  streams?: boolean;
}

/** Who asks comes before what is asked (decisions.md, Order of checks). */
type Admission = (caller: Caller, request: Request, ctx: Context) => unknown;
const admissions: Record<RouteData['caller'], Admission> = {
  anyone: () => undefined,
  registered,
  token: (caller) => caller.unregistered ?? registered(caller),
  secret: (_caller, request, ctx) =>
    ctx.invites.admit(request.headers['x-alpha-secret'], request.socket.remoteAddress ?? ''),
};

export interface RouteTable {
  models: Models;
  routes: RouteData[];
}

/** What decides which router a request goes to: `get entities 1` of `GET /entities/01J...`, which has one segment more. */
function routerName(method: string, path: string): string {
  const end = path.indexOf('/', 1);
  const first = end === -1 ? path.slice(1) : path.slice(1, end);
  let more = 0;
  // A slash at the end begins no segment.
  for (let slash = end; slash !== -1 && slash < path.length - 1; slash = path.indexOf('/', slash + 1)) more++;
  return `${method} ${first} ${more}`;
}

/**
 * All endpoints. Express tries routes in order, and 150 before a route halve its rate; so there is one router for each method,
 * first path segment and number of segments, found by name. Each is made when it is first asked for: to make all of them takes
 * longer than the rest of the edge, and most are never asked for. `factory` makes the controllers.
 */
export function routesOf(table: RouteTable, ctx: Context, factory: typeof factoryOf = factoryOf): RequestHandler {
  const named = new Map<string, Named[]>();
  for (const route of table.routes) {
    const { method, path, controller } = route;
    if (!isMethod(method)) throw new Error(`The method ${method} of ${path} is not supported.`);
    const name = routerName(method, path);
    const beside = named.get(name) ?? [];
    // The tally tells of all endpoints, asked or not.
    beside.push({ route, method, make: factory(controller), tally: ctx.requests.of(method.toUpperCase(), path) });
    named.set(name, beside);
  }
  const endpointOf = endpoints(table.models);
  const answerFailed = failureAnswer(ctx.log);
  const routerOf = (routes: Named[]): Router => {
    const router = Router({ caseSensitive: true });
    // A path with a parameter matches what the plain path beside it means (`/users/{id}`, `/users/me`): plain ones first.
    for (const one of routes.toSorted((a, b) => specificity(a.route.path) - specificity(b.route.path))) {
      const handler = handle(
        ctx,
        one,
        endpointOf(one.route, () => one.make(ctx)),
      );
      router[one.method](one.route.path, answering(handler, answerFailed));
    }
    return router;
  };
  const routers = new Map<string, Router>();
  return (request, response, next) => {
    const method = request.method === 'HEAD' ? 'get' : request.method.toLowerCase();
    const name = routerName(method, request.path);
    const routes = named.get(name);
    if (!routes) return next();
    const router = routers.get(name) ?? routerOf(routes);
    routers.set(name, router);
    router(request, response, next);
  };
}

/** An endpoint, with what makes its controller and what counts its requests. */
interface Named {
  route: RouteData;
  method: (typeof methods)[number];
  make: (ctx: Context) => object;
  tally: RouteTally;
}

/** What fails is answered at once: Express would first try each route and handler that comes after. */
function answering(serve: Serve, answerFailed: AnswerFailed): RequestHandler {
  return (request, response) => {
    try {
      return serve(request, response)?.catch((error: unknown) => answerFailed(error, request, response));
    } catch (error) {
      answerFailed(error, request, response);
    }
  };
}

const methods = ['get', 'post', 'put', 'patch', 'delete'] as const;

function isMethod(method: string): method is (typeof methods)[number] {
  return (methods as readonly string[]).includes(method);
}

/** Orders paths so that at the first segment where two differ, the plain one comes before a parameter. */
function specificity(path: string): number {
  return path.split('/').reduce((sum, segment, i) => sum + (segment.startsWith(':') ? 2 ** (30 - i) : 0), 0);
}

type Serve = (request: Request, response: Response) => Promise<void> | undefined;

/** Serves one route: here, or where the request is large and the route allows it, on a request thread. */
function handle(ctx: Context, { route, tally }: Named, endpoint: Endpoint): Serve {
  const elsewhere = movable(route) ? ctx.largeRequests : undefined;
  const admit = admissions[route.caller];
  const light = isLight(route);
  const unnamed = unnamedVersions(route);
  const unannounced = isUnannounced({ method: route.method.toUpperCase(), url: route.path });
  return (request, response) => {
    tallied(request, tally);
    const { caller } = request as unknown as CallerRequest;
    admit(caller, request, ctx);
    if (unannounced) refuseForm(request.headers['content-type']);
    const bytes = request.body instanceof Uint8Array ? request.body : undefined;
    // It may have been long on its way.
    if (bytes) refuseRevoked(caller);
    if (elsewhere && (bytes?.length ?? 0) > maxOnLoop) return serveLarge(elsewhere, route, request, bytes, response);
    if (bytes && bytes.length > maxOnLoop && isChat(route)) return chatLater(ctx, endpoint, request, bytes, response);
    if (bytes) request.body = parseJson(bytes);
    // Express would parse it again each time that it is read.
    const { query } = request;
    Object.defineProperty(request, 'query', { value: query });
    const asked = request as unknown as EndpointRequest;
    if (elsewhere && !(light && query.expand === undefined) && elsewhere.isLarge(asked, unnamed))
      return serveLarge(elsewhere, route, request, bytes, response);
    const answer = endpoint(asked);
    if (answer instanceof Promise) return answer.then((later) => send(response, later));
    return void send(response, answer);
  };
}

/** Clients send all that was said so far, with what tools found, of which the answer needs the last alone. */
function isChat({ method, path }: RouteData): boolean {
  return method === 'post' && path === '/chat';
}

async function chatLater(
  { largeRequests }: Context,
  endpoint: Endpoint,
  request: Request,
  bytes: Uint8Array,
  response: Response,
): Promise<void> {
  const short = await largeRequests.shortenChat(bytes, (request as unknown as CallerRequest).caller);
  if ('refused' in short) return sendLarge(response, short.refused);
  request.body = short.body;
  send(response, await endpoint(request as unknown as EndpointRequest));
}

async function serveLarge(
  elsewhere: LargeRequests,
  { method, path }: RouteData,
  request: Request,
  bytes: Uint8Array | undefined,
  response: Response,
): Promise<void> {
  const { params, query, headers } = request;
  const asker = (request as unknown as CallerRequest).caller;
  const caller = plainCaller(asker);
  const large = { route: { method, path }, params, query: { ...query }, headers, caller, bytes };
  const served = await elsewhere.serve(large, asker);
  sendLarge(response, served);
}

function sendLarge(response: Response, served: LargeAnswer): void {
  send(response, { ...served, value: served.json && new StoredJson(served.json) });
}

/** A controller that has answered by itself (a stream of bytes, of events) gives no value. */
function send(response: Response, { status, headers, value }: EndpointAnswer): void {
  if (response.headersSent) return;
  if (value === undefined || value === null) response.writeHead(status ?? 204, headers ?? {}).end();
  else sendJson(response, status ?? 200, value, headers);
}
