import { type ParseArgsOptionsConfig, parseArgs } from 'node:util';

/** The options that a command of the tests was given; one that it does not know ends it with a sentence, and how it is used. */
export function optionsOf<const T extends ParseArgsOptionsConfig>(options: T, usage: string) {
  try {
    return parseArgs({ options }).values;
  } catch (error) {
    return misused(error instanceof Error ? error.message : String(error), usage);
  }
}

/** Ends a command that cannot do what it is asked. */
export function misused(problem: string, usage: string): never {
  process.stderr.write(`${problem}\n${usage}\n`);
  process.exit(2);
}
