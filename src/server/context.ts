import type { Config, Secrets } from './config.ts';
import { UnauthorizedError, ValidationError } from './errors.ts';
import { openapi, version } from './generated/openapi.ts';
import type { Authenticate } from './http/caller.ts';
import type { Log } from './log.ts';
import { SystemService } from './resources/system/service.ts';

export { version };

/** What is built once and lives as long as the node; http/ioc.ts makes controllers from it. */
export interface Context extends AsyncDisposable {
  config: Config;
  log: Log;
  /** The node's own id. */
  instance: string;
  version: string;
  /** Epoch milliseconds. */
  now: () => number;
  authenticate: Authenticate;
  system: SystemService;
}

/** What comes from outside: tests give their own. */
export interface Surroundings {
  config: Config;
  secrets: Secrets;
  log: Log;
  instance: string;
  now: () => number;
}

/** The composition root: builds each long-lived object once; disposing closes them in reverse. */
export async function openContext({ config, log, instance, now }: Surroundings): Promise<Context> {
  await using opened = new AsyncDisposableStack();
  const system = new SystemService({ instance, version, document: openapi, now });
  const authenticate: Authenticate = ({ authorization, network }) => {
    if (authorization !== undefined) throw new UnauthorizedError();
    if (network !== undefined && network !== 'main' && network !== 'test')
      throw ValidationError.at(['network'], 'must be main or test');
    return { actor: { kind: 'anonymous' }, network: network ?? 'main' };
  };
  const all = opened.move();
  return { config, log, instance, version, now, authenticate, system, [Symbol.asyncDispose]: () => all.disposeAsync() };
}
