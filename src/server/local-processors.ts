import { join } from 'node:path';
import type { Config, Secrets } from './config.ts';
import type { AllowedCommands } from './jobs/local/allowed-commands.ts';
import { LocalDispatcher } from './jobs/local/local-dispatcher.ts';
import type { Log } from './log.ts';
import { type LocalNodeNeeds, LocalNodes } from './resources/processors/local-node.ts';

export interface LocalGround extends LocalNodeNeeds {
  config: Config;
  allowed: AllowedCommands;
  secrets: Pick<Secrets, 'environment'>;
  version: string;
  log: Log;
  now: () => number;
}

/** The way to kladoi that are commands of this machine, which the operator allows. */
export async function openLocalProcessors(ground: LocalGround): Promise<LocalDispatcher> {
  const { config, allowed, secrets, version, log, now, ...needs } = ground;
  const local = new LocalDispatcher({
    ...{ version, now, allowed },
    nodes: new LocalNodes(needs),
    work: join(config.data, 'work'),
    environment: secrets.environment,
    log: log.child({ name: 'processors' }),
  });
  await local.clear();
  return local;
}
