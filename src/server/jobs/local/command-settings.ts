import { join } from 'node:path';
import { z } from 'zod';
import { UnavailableError } from '../../errors.ts';
import type { CommandLimits } from './run-command.ts';

/** A command that the operator allows kladoi to run, under the name that their endpoint `exec:NAME` gives. */
export interface LocalCommand extends CommandLimits {
  name: string;
  /** Where it runs; null: in a folder made for the job, which goes with it. */
  folder: string | null;
  /** The variables of the node's environment that it sees, and no others. */
  environment: readonly string[];
  /** How many bytes of file content it may be handed. */
  maxInputBytes: number;
  /** How many of it run at once. */
  atOnce: number;
}

/** A name as an endpoint `exec:NAME` gives it (model/endpoints.ts). */
export const commandName = /^[a-z0-9][a-z0-9_-]{0,63}$/;

const mebibyte = 2 ** 20;
const whole = (least: number, most: number) => z.number().int().min(least).max(most);
const argument = z
  .string()
  .max(4096)
  .refine((given) => !given.includes('\0'), 'must not hold a zero character');
const text = argument.min(1);
const variable = z
  .string()
  .regex(/^[A-Za-z_][A-Za-z0-9_]{0,127}$/, 'must be the name of a variable')
  .refine((name) => !name.startsWith('ARCHEION_'), "must not be one of the node's own, which hold its secrets");

const command = z.strictObject({
  run: z
    .array(argument)
    .min(1)
    .max(100)
    .refine(([program]) => program !== '', 'must begin with a program'),
  folder: text.refine((path) => /^(?:\/|[A-Za-z]:[\\/])/.test(path), 'must be an absolute path').optional(),
  environment: z.array(variable).max(100).default(['PATH', 'LANG', 'LC_ALL', 'TZ']),
  seconds: whole(1, 86_400).default(600),
  output_mb: whole(1, 256).default(16),
  input_mb: whole(1, 1_000_000).default(4096),
  at_once: whole(1, 64).default(2),
});

const file = z.strictObject({
  commands: z.record(z.string().regex(commandName, 'must be a short name of a-z, 0-9, - and _'), command).default({}),
});

/** The file of the allowed commands: the setting's, else one in the data folder. */
export function commandsFile({ data, processors }: { data: string; processors: string | null }): string {
  return processors ?? join(data, 'processors.json');
}

/** What stands in the file for one command. */
export type CommandEntry = z.input<typeof command>;
export type CommandsFile = { commands: Record<string, CommandEntry> };

/**
 * The commands of a settings file. `place` names it in what is said.
 * @throws UnavailableError with one sentence for everything that is wrong
 */
export function parseCommands(content: string, place: string): ReadonlyMap<string, LocalCommand> {
  let json: unknown;
  try {
    json = JSON.parse(content.replace(/^\uFEFF/, ''));
  } catch (error) {
    throw new UnavailableError(`${place} is not JSON (${(error as Error).message}): correct it.`);
  }
  const parsed = file.safeParse(json);
  if (!parsed.success) {
    const all = parsed.error.issues.map((issue) => {
      const message = issue.code === 'invalid_key' ? issue.issues[0]?.message : issue.message;
      return `${issue.path.join('.') || 'the file'}: ${message}.`;
    });
    throw new UnavailableError(`${place} cannot be used. ${all.slice(0, 10).join(' ')}`);
  }
  return new Map(
    Object.entries(parsed.data.commands).map(([name, one]) => [
      name,
      {
        name,
        run: one.run as [string, ...string[]],
        folder: one.folder ?? null,
        environment: one.environment,
        timeoutMs: one.seconds * 1000,
        maxOutputBytes: one.output_mb * mebibyte,
        maxInputBytes: one.input_mb * mebibyte,
        atOnce: one.at_once,
      },
    ]),
  );
}
