import { type Issue, ValidationError } from '../errors.ts';
import type { CallerRequest } from '../model/caller.ts';
import { type Check, checks } from './check.ts';
import { Controller } from './controller.ts';
import type { RouteData } from './routes.ts';
import type { Models, Parameter } from './schema.ts';

/** What an endpoint reads of a request; express's is one, and plain data that came from another thread is too. */
export interface EndpointRequest extends CallerRequest {
  params: Record<string, unknown>;
  query: Record<string, unknown>;
  /** By lower-case name. */
  headers: Record<string, string | string[] | undefined>;
  /** The value of a JSON body, if one came. */
  body?: unknown;
}

/** What an endpoint answers: `value` undefined or null for no body. */
export interface EndpointAnswer {
  /** Undefined where the default of HTTP is meant: 200, or 204 without a body. */
  status: number | undefined;
  headers: Record<string, string> | undefined;
  value: unknown;
}

export type Endpoint = (request: EndpointRequest) => EndpointAnswer | Promise<EndpointAnswer>;

/** Makes endpoints of routes: what came is checked, and the controller's method called with it. `make` gives a new controller. */
export function endpoints(models: Models): (route: RouteData, make: () => object) => Endpoint {
  const check: Checks = { json: checks(models, 'json'), text: checks(models, 'text') };
  return (route, make) => {
    const action = route.controller.prototype[route.action] as (...args: unknown[]) => unknown;
    const readers = route.parameters.map((parameter) => reader(parameter, check));
    return (request) => {
      const found: Issue[] = [];
      const values = readers.map((read) => read(request, found));
      if (found.length > 0) throw new ValidationError(found);
      const controller = make();
      const value = action.apply(controller, values);
      return value instanceof Promise
        ? value.then((later) => answer(controller, route, later))
        : answer(controller, route, value);
    };
  };
}

/** Checks the JSON body of a route by itself. @throws ValidationError */
export function bodyCheck(models: Models, { parameters }: RouteData): (value: unknown) => unknown {
  const body = parameters.find((parameter) => parameter.in === 'body');
  if (!body) throw new Error('this route takes no body');
  const check = checks(models, 'json')(body);
  return (value) => {
    const found: Issue[] = [];
    const read = check(value, [], found);
    if (found.length > 0) throw new ValidationError(found);
    return read;
  };
}

function answer(controller: object, { status }: RouteData, value: unknown): EndpointAnswer {
  const own = controller instanceof Controller ? controller : undefined;
  return { status: own?.getStatus() ?? status, headers: own?.getHeaders(), value };
}

interface Checks {
  json: (parameter: Parameter) => Check;
  text: (parameter: Parameter) => Check;
}
type Reader = (request: EndpointRequest, found: Issue[]) => unknown;

const otherType = 'the body must be JSON, sent with Content-Type: application/json';

/** Whether bytes came that no parser has taken. */
function hasBody({ headers }: EndpointRequest): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

function reader(parameter: Parameter, check: Checks): Reader {
  const { name } = parameter;
  const text = (value: (request: EndpointRequest) => unknown): Reader => {
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
