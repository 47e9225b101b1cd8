import { isStream } from './body.ts';
import { serviceFactoryOf } from './ioc.ts';
import type { RouteData } from './routes.ts';

/** Whether a request thread can serve a route: its controller needs the services alone, and all that goes through is JSON. */
export function movable({ controller, method, path, streams }: RouteData): boolean {
  return (
    !streams && !isStream({ method: method.toUpperCase(), url: path }) && serviceFactoryOf(controller) !== undefined
  );
}
