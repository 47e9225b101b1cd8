import type { Command } from 'commander';
import { UsageError } from '../config.ts';

/** `archeion help`: what a command does, also one of a group, as in "help remote add". */
export function addHelp(program: Command): void {
  program
    .helpCommand(false)
    .command('help')
    .description('say what a command does, and what it takes')
    .argument('[command...]')
    .action((names: string[]) => {
      let found = program;
      for (const name of names) {
        const next = found.commands.find((command) => command.name() === name);
        if (!next) throw new UsageError(`There is no command "${names.join(' ')}": "archeion help" lists them all.`);
        found = next;
      }
      found.outputHelp();
    });
}
