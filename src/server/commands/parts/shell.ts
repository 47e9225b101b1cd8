import type { Readable, Writable } from 'node:stream';
import type { AskedNode } from './other-version.ts';

/** What a command gets of the process it runs in; cli.ts gives it, tests give their own. */
export interface Shell {
  env: Record<string, string | undefined>;
  pid: number;
  /** Whether there is a process of that id. */
  isRunning?: (pid: number) => boolean;
  /** The platform's usual data folder; null for a user without a home. */
  dataFolder: string | null;
  /** The folder of the built page, null where it is not built. */
  ui: string | null;
  /** stdin, for a command that reads it; it is not touched before. */
  input?: () => Readable;
  /** stdout, for a command that writes bytes; it says nothing there then. */
  output?: () => Writable;
  /** How this program is started anew; absent where it runs within another. */
  self?: readonly string[];
  /** One line to stdout. */
  out: (line: string) => void;
  /** The same for what nobody can have again, where that is known: rejects where it could not be written, which the command says. */
  told?: (line: string) => Promise<void>;
  /** A line to stderr, or several. */
  err: (line: string) => void;
  /** stderr where it is a terminal, for what moves on it. */
  terminal: NodeJS.WriteStream | null;
  /** Whether stderr is the system's journal, which others than the operator may read. */
  isJournaled?: boolean;
  /** Aborted by SIGINT and SIGTERM, and when the terminal is closed. */
  stopped: AbortSignal;
  /** Called by a command that goes on where its stdout cannot be written any more; any other has lost what it found. */
  goOnUnread?: () => void;
  /** Told of the node in another process that a command asks (run.ts). */
  asks?: (node: AskedNode) => void;
}

/** The options that every command takes, before its name or after it. */
export interface GlobalOptions {
  data?: string;
  network?: string;
}
