import { isUtf8 } from 'node:buffer';
import { readFile, stat } from 'node:fs/promises';
import { platform } from 'node:os';
import { UnavailableError } from '../../errors.ts';
import { type LocalCommand, parseCommands } from './command-settings.ts';

const maxFileBytes = 2 ** 20;

/**
 * The operator's allow-list, in a file that nothing but an editor or `archeion processor` writes. It is read again
 * whenever it has changed, so that a command that is no longer allowed is not run again.
 */
export class AllowedCommands {
  readonly #path: string;
  #read: { stamp: string; commands: ReadonlyMap<string, LocalCommand> } | undefined;

  constructor(path: string) {
    this.#path = path;
  }

  /** @throws UnavailableError where the file cannot be used */
  async all(): Promise<ReadonlyMap<string, LocalCommand>> {
    const found = await stat(this.#path).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return null;
      throw this.#unreadable(error);
    });
    if (!found) return new Map();
    const stamp = `${found.ino} ${found.size} ${found.mtimeMs} ${found.mode}`;
    if (this.#read?.stamp === stamp) return this.#read.commands;
    if (found.size > maxFileBytes) throw new UnavailableError(`${this.#path} is larger than 1 MiB.`);
    if (platform() !== 'win32' && (found.mode & 0o022) !== 0)
      throw new UnavailableError(
        `${this.#path} can be written by others, who could let the node run anything: chmod go-w it first.`,
      );
    const bytes = await readFile(this.#path).catch((error: Error) => {
      throw this.#unreadable(error);
    });
    // A command would be run with other signs than those that were written.
    if (!isUtf8(bytes)) throw new UnavailableError(`${this.#path} is not UTF-8 text: save it as that.`);
    const commands = parseCommands(bytes.toString(), this.#path);
    this.#read = { stamp, commands };
    return commands;
  }

  /** The command of that name; undefined where none is allowed. @throws UnavailableError */
  async find(name: string): Promise<LocalCommand | undefined> {
    return (await this.all()).get(name);
  }

  #unreadable({ message }: Error): UnavailableError {
    return new UnavailableError(`${this.#path} cannot be read (${message}): it has to be the node's own user's.`);
  }

  /** What to do about a command that is not allowed. */
  wayOut(name: string): string {
    return `The command ${name} is not allowed on this node: its operator can allow it with "archeion processor allow ${name}", or in ${this.#path}.`;
  }
}
