import { type NextFunction, type Request, type RequestHandler, type Response, Router } from 'express';
import type { Context } from '../context.ts';
import { type Issue, ValidationError } from '../errors.ts';
import { type Caller, type CallerRequest, registered } from '../model/caller.ts';
import { type Check, checks } from './check.ts';
import { Controller } from './controller.ts';
import { type ControllerClass, factoryOf } from './ioc.ts';
import type { Models, Parameter } from './schema.ts';
import { sendJson } from './stored-json.ts';

/** One endpoint as build/generate.ts writes it. */
export interface RouteData {
  controller: ControllerClass;
  method: string;
  path: string;
  /** The name of the controller's method. */
  action: string;
  /** Who may call: anyone, whoever is registered, or whoever shows a token of the identity provider. */
  caller: 'anyone' | 'registered' | 'token';
  /** The status of a success; without one 200, or 204 where there is no body. */
  status?: number | undefined;
  parameters: Parameter[];
}

/** Who asks comes before what is asked (decisions.md, Order of checks). */
const admissions: Record<RouteData['caller'], (caller: Caller) => unknown> = {
  anyone: () => undefined,
  registered,
  token: (caller) => caller.unregistered ?? registered(caller),
};

export interface RouteTable {
  models: Models;
  routes: RouteData[];
}

/** The segment that decides which router a path goes to: `entities` of `/entities/01J...`. */
function firstSegment(path: string): string {
  const end = path.indexOf('/', 1);
  return end === -1 ? path.slice(1) : path.slice(1, end);
}

/**
 * All endpoints. Express tries routes in order, and 150 before a route halve its rate; so there is one router a first
 * path segment, found by name. `factory` makes the controllers.
 */
export function routesOf(table: RouteTable, ctx: Context, factory: typeof factoryOf = factoryOf): RequestHandler {
  const routers = new Map<string, Router>();
  const check = { json: checks(table.models, 'json'), text: checks(table.models, 'text') };
  // A path with a parameter matches what the plain path beside it means (`/users/{id}`, `/users/me`): plain ones first.
  const plainFirst = table.routes.toSorted((a, b) => specificity(a.path) - specificity(b.path));
  for (const route of plainFirst) {
    const segment = firstSegment(route.path);
    const router = routers.get(segment) ?? Router({ caseSensitive: true });
    routers.set(segment, router);
    const handler = endpoint(route, check, ctx, factory(route.controller));
    if (isMethod(route.method)) router[route.method](route.path, handler);
    else throw new Error(`The method ${route.method} of ${route.path} is not supported.`);
  }
  return (request, response, next) => {
    const router = routers.get(firstSegment(request.path));
    if (router) router(request, response, next);
    else next();
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

type Reader = (request: Request, found: Issue[]) => unknown;

function endpoint(
  route: RouteData,
  check: { json: (p: Parameter) => Check; text: (p: Parameter) => Check },
  ctx: Context,
  make: (ctx: Context) => object,
): RequestHandler {
  const action = route.controller.prototype[route.action] as (...args: unknown[]) => unknown;
  const readers = route.parameters.map((parameter) => reader(parameter, check));
  const admit = admissions[route.caller];
  return (request: Request, response: Response, _next: NextFunction) => {
    admit((request as unknown as CallerRequest).caller);
    const found: Issue[] = [];
    const values = readers.map((read) => read(request, found));
    if (found.length > 0) throw new ValidationError(found);
    const controller = make(ctx);
    const answer = action.apply(controller, values);
    if (answer instanceof Promise) return answer.then((body) => send(response, controller, route.status, body));
    send(response, controller, route.status, answer);
  };
}

const otherType = 'the body must be JSON, sent with Content-Type: application/json';

/** Whether bytes came that no parser has taken. */
function hasBody({ headers }: Request): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

function reader(parameter: Parameter, check: { json: (p: Parameter) => Check; text: (p: Parameter) => Check }): Reader {
  const { name } = parameter;
  const text = (value: (request: Request) => unknown): Reader => {
    const one = check.text(parameter);
    return (request, found) => one(value(request), [name], found);
  };
  switch (parameter.in) {
    case 'request':
      return (request) => request;
    case 'path':
      return text((request) => request.params[name]);
    case 'query':
      return text((request) => (Object.hasOwn(request.query, name) ? request.query[name] : undefined));
    case 'queries':
      return text((request) => ({ ...request.query }));
    case 'header':
      return text((request) => request.headers[name.toLowerCase()]);
    case 'body': {
      const one = check.json(parameter);
      return (request, found) => {
        if (request.body !== undefined || !parameter.required) return one(request.body, [], found);
        return hasBody(request) ? void found.push({ path: [], message: otherType }) : one({}, [], found);
      };
    }
    default:
      throw new Error(`A parameter from ${parameter.in} is not supported.`);
  }
}

/** A controller that has answered by itself (a stream of bytes, of events) returns nothing. */
function send(response: Response, controller: object, success: number | undefined, body: unknown): void {
  if (response.headersSent) return;
  const own = controller instanceof Controller ? controller : undefined;
  const status = own?.getStatus() ?? success;
  if (body === undefined || body === null) {
    response.writeHead(status ?? 204, own?.getHeaders() ?? {}).end();
    return;
  }
  sendJson(response, status ?? 200, body, own?.getHeaders());
}
