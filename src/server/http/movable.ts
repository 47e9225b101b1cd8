import { isStream } from './body.ts';
import { serviceFactoryOf } from './ioc.ts';
import type { RouteData } from './routes.ts';

/**
 * Keys that are good are remembered on the event loop: one that is revoked elsewhere would still be let pass. And what signs
 * the addresses of downloads is there alone.
 */
const onLoop = ['/users/me/keys', '/users/me/keys/:prefix', '/files/:id/download'];

/** Whether a request thread can serve a route: its controller needs the services alone, and all that goes through is JSON. */
export function movable({ controller, method, path, streams }: RouteData): boolean {
  if (streams || onLoop.includes(path) || isStream({ method: method.toUpperCase(), url: path })) return false;
  return serviceFactoryOf(controller) !== undefined;
}
