import { existsSync } from 'node:fs';
import { access, constants, mkdir, rm, stat, writeFile } from 'node:fs/promises';
import { delimiter, dirname, isAbsolute, join, resolve } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type { Command } from 'commander';
import { readConfig, UsageError } from '../config.ts';
import { UnavailableError } from '../errors.ts';
import { nameWhole } from '../exchange/whole-file.ts';
import {
  type CommandEntry,
  type CommandsFile,
  commandName,
  commandsFile,
  parseCommands,
} from '../jobs/local/command-settings.ts';
import { fromJson } from '../model/from-json.ts';
import { jsonLoss } from '../model/json-loss.ts';
import { present } from '../model/objects.ts';
import { shipped } from '../processors/shipped.ts';
import { identityFile } from '../store/accounts/identity-schema.ts';
import { giveToFoldersOwner } from '../store/folders-owner.ts';
import { storingLater } from '../store/storage-error.ts';
import { noNode } from './parts/client.ts';
import { FailureError, issueText } from './parts/failure.ts';
import type { GlobalOptions, Shell } from './parts/shell.ts';
import { textIn } from './parts/text-file.ts';

interface AllowOptions extends GlobalOptions {
  folder?: string;
  env?: string[];
  seconds?: string;
  outputMb?: string;
  inputMb?: string;
  atOnce?: string;
}

/** `archeion processor`: the commands that kladoi with an `exec:` endpoint may run on this machine. */
export function addProcessor(program: Command, shell: Shell): void {
  const group = program.command('processor').description('commands that kladoi may run on this machine');
  group
    .command('list')
    .description('print what is allowed, and the processors that come with the program')
    .option('--json', 'print one JSON document')
    .action(async (_options, command: Command) => {
      const options = command.optsWithGlobals<GlobalOptions & { json?: boolean }>();
      const { path, commands } = await readAllowed(shell, options);
      if (options.json) {
        const list = Object.entries(commands).map(([name, one]) => ({ name, endpoint: `exec:${name}`, ...one }));
        const own = [...shipped].map(([name, { about }]) => ({ name, about, allowed: Object.hasOwn(commands, name) }));
        shell.out(JSON.stringify({ file: path, allowed: list, shipped: own }));
        return;
      }
      for (const [name, { run }] of Object.entries(commands)) shell.out(`allowed  exec:${name}  ${run.join(' ')}`);
      for (const [name, { about }] of shipped)
        if (!Object.hasOwn(commands, name)) shell.out(`shipped  ${name}  ${about}`);
    });
  group
    .command('allow')
    .description(
      'let kladoi of yours with the endpoint exec:NAME run a command: one that comes along, or your own after --',
    )
    .argument('<name>', 'the name in the endpoint')
    .argument('[command...]', 'the program and its arguments; there is no shell')
    .option('--folder <path>', 'where it runs (default: a folder made for each job)')
    .option('--env <names...>', 'the variables of the environment that it sees (default: PATH LANG LC_ALL TZ)')
    .option('--seconds <n>', 'how long one run may take (default: 600)')
    .option('--output-mb <n>', 'how much it may write to stdout (default: 16)')
    .option('--input-mb <n>', 'how much file content it may be handed (default: 4096)')
    .option('--at-once <n>', 'how many of it may run at once (default: 2)')
    .action(async (name: string, given: string[], _options, command: Command) => {
      const options = command.optsWithGlobals<AllowOptions>();
      const entry = entryOf(name, given, options, shell);
      await changeAllowed(shell, options, (commands) => ({ ...commands, [name]: entry }));
      shell.out(`Kladoi that you make on this node with the endpoint exec:${name} may run: ${entry.run.join(' ')}`);
      if (given.length > 0) for (const line of await lacking(entry, shell.env)) shell.err(line);
    });
  group
    .command('forbid')
    .description('take a command off the list; jobs that run go on')
    .argument('<name>', 'the name in the endpoint')
    .action(async (name: string, _options, command: Command) => {
      await changeAllowed(shell, command.optsWithGlobals<GlobalOptions>(), (commands) => {
        // What every object inherits is no command of its own.
        if (!Object.hasOwn(commands, name)) throw new UsageError(`No command ${name} is allowed.`);
        const { [name]: _, ...others } = commands;
        return others;
      });
      shell.out(`exec:${name} runs no more.`);
    });
  group
    .command('run')
    .description('run one that comes along: a job as JSON on stdin, its result on stdout (nodes do this for kladoi)')
    .argument('<name>', [...shipped.keys()].join(', '))
    .action(() => {
      // cli.ts runs it before anything of this is loaded.
      throw new UsageError('Give no options before "processor run NAME": it reads all that it needs from stdin.');
    });
}

function entryOf(name: string, given: string[], options: AllowOptions, shell: Shell): CommandEntry {
  if (!commandName.test(name)) throw new UsageError(`${name}: a name is a-z, 0-9, - and _, at most 64 characters.`);
  const run = given.length > 0 ? given : shippedRun(name, shell);
  const whole = (text: string | undefined, option: string) => {
    if (text === undefined) return undefined;
    if (!/^\d{1,7}$/.test(text)) throw new UsageError(`${option}: must be a whole number.`);
    return Number(text);
  };
  return present({
    run,
    folder: options.folder === undefined ? undefined : resolve(options.folder),
    environment: options.env ?? (given.length > 0 ? undefined : []),
    seconds: whole(options.seconds, '--seconds'),
    output_mb: whole(options.outputMb, '--output-mb'),
    input_mb: whole(options.inputMb, '--input-mb'),
    at_once: whole(options.atOnce, '--at-once'),
  }) as CommandEntry;
}

function shippedRun(name: string, shell: Shell): string[] {
  if (!shipped.has(name))
    throw new UsageError(
      `No processor ${name} comes along (there are ${[...shipped.keys()].join(', ')}): give the command after "--".`,
    );
  if (!shell.self) throw new UsageError('Give the command after "--".');
  return [...shell.self, 'processor', 'run', name];
}

/** What a run would not find now: it may come later, and the node may find what this shell does not. */
async function lacking(
  { run: [program = ''], folder, environment }: CommandEntry,
  env: Shell['env'],
): Promise<string[]> {
  const lines: string[] = [];
  const isThere = async (path: string) => (await stat(path).catch(() => null))?.isDirectory() === true;
  if (folder !== undefined && !(await isThere(folder)))
    lines.push(`There is no folder ${folder}: no job can run until it is there.`);
  // Windows has endings of programs.
  if (process.platform === 'win32') return lines;
  const found = environment === undefined || environment.includes('PATH') ? env.PATH : undefined;
  const folders = program.includes('/') ? [folder ?? '/'] : (found ?? '/usr/bin:/bin').split(delimiter);
  const isProgram = async (path: string) => {
    await access(path, constants.X_OK);
    return (await stat(path)).isFile();
  };
  const looked = await Promise.all(folders.map((at) => isProgram(resolve(at, program)).catch(() => false)));
  if (!looked.includes(true)) lines.push(`No program ${program} is found here: jobs fail unless the node finds it.`);
  return lines;
}

async function readAllowed(shell: Shell, options: GlobalOptions): Promise<{ path: string } & CommandsFile> {
  const { config } = readConfig(shell.env, options, shell.dataFolder);
  const path = commandsFile({ ...config, data: resolve(config.data) });
  const text = await textIn(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw new FailureError(error instanceof UsageError ? error.message : `${path} cannot be read (${error.message}).`);
  });
  if (text === null) return { path, commands: {} };
  parseCommands(text, path);
  const loss = jsonLoss(text);
  if (loss) throw new FailureError(`${path}: ${issueText(loss)}.`);
  return { path, commands: { ...(fromJson(text) as CommandsFile).commands } };
}

/** A list in a data folder is that of its node. @throws UsageError */
function refuseNoNode(shell: Shell, options: GlobalOptions): void {
  const { config } = readConfig(shell.env, options, shell.dataFolder);
  const data = resolve(config.data);
  if (config.processors === null && !existsSync(join(data, identityFile))) throw noNode(data);
}

async function changeAllowed(
  shell: Shell,
  options: GlobalOptions,
  change: (commands: CommandsFile['commands']) => CommandsFile['commands'],
): Promise<void> {
  refuseNoNode(shell, options);
  const changed = async () => {
    const { path, commands } = await readAllowed(shell, options);
    const text = `${JSON.stringify({ commands: change(commands) }, null, 2)}\n`;
    try {
      parseCommands(text, 'What is given');
    } catch (error) {
      // What was there could be used.
      throw error instanceof UnavailableError ? new UsageError(error.message) : error;
    }
    return { path, text };
  };
  // What is refused is refused before anything is made.
  const { path } = await changed();
  if (!isAbsolute(path)) throw new UsageError(`${path}: must be an absolute path.`);
  await storingLater(async () => {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    const made = `${path}.new`;
    await claim(made);
    try {
      await writeFile(made, (await changed()).text);
      giveToFoldersOwner(made);
      await nameWhole(made, path);
    } catch (error) {
      await rm(made, { force: true });
      throw error;
    }
  });
}

/** How often it is looked again, when this gives up, and how old a file is that a command was killed over, in milliseconds. */
const [betweenMs, atMostMs, leftMs] = [50, 3000, 60_000];

/** Makes the file that a list is written to: whoever has made it changes the list, and others wait. @throws FailureError */
async function claim(made: string): Promise<void> {
  for (const begun = performance.now(); ; await setTimeout(betweenMs)) {
    try {
      return await writeFile(made, '', { flag: 'wx', mode: 0o600 });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      const { mtimeMs } = await stat(made).catch(() => ({ mtimeMs: Number.POSITIVE_INFINITY }));
      if (Date.now() - mtimeMs > leftMs) await rm(made, { force: true });
      else if (performance.now() - begun > atMostMs)
        throw new FailureError(`Another command changes the list, or was killed as it did: try again in a minute.`);
    }
  }
}
