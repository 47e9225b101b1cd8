import { join } from 'node:path';
import type { Config, Secrets } from './config.ts';
import { AllowedCommands } from './jobs/local/allowed-commands.ts';
import { commandsFile } from './jobs/local/command-settings.ts';
import { LocalDispatcher } from './jobs/local/local-dispatcher.ts';
import type { Log } from './log.ts';
import { type LocalNodeNeeds, LocalNodes } from './resources/processors/local-node.ts';

export interface LocalGround extends LocalNodeNeeds {
  config: Config;
  secrets: Pick<Secrets, 'environment'>;
  version: string;
  log: Log;
  now: () => number;
}

/** The way to kladoi that are commands of this machine, which the operator allows. */
export async function openLocalProcessors(ground: LocalGround): Promise<LocalDispatcher> {
  const { config, secrets, version, log, now, ...needs } = ground;
  const local = new LocalDispatcher({
    ...{ version, now },
    nodes: new LocalNodes(needs),
    allowed: new AllowedCommands(commandsFile(config)),
    work: join(config.data, 'work'),
    environment: secrets.environment,
    log: log.child({ name: 'processors' }),
  });
  await local.clear();
  return local;
}
