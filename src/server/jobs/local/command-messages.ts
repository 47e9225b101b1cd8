import type { CommandOutcome, CommandRun } from './run-command.ts';

/** What the node tells the process that runs commands; `id` is a run's number. */
export type ToHost =
  | { kind: 'run'; id: number; run: Omit<CommandRun, 'input' | 'signal'> }
  /** A part of the input, null at its end; or there will be none. */
  | { kind: 'input'; id: number; text: string | null }
  | { kind: 'no-input'; id: number }
  | { kind: 'stop'; id: number };

/** And what it tells the node. */
export type FromHost =
  /** The next part of the input is wanted. */
  | { kind: 'pull'; id: number }
  /** The command's process, which leads a group of its own. */
  | { kind: 'started'; id: number; pid: number }
  | { kind: 'ended'; id: number; outcome: CommandOutcome };
