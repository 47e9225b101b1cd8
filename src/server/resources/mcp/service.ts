import { type Caller, registered } from '../../model/caller.ts';
import { loadedOnce } from '../../model/loaded-once.ts';
import type { JsonMap } from '../wire.ts';

export interface McpMessage {
  /** Several at once are a list. */
  message: JsonMap | JsonMap[];
  /** The version of the protocol that the client speaks, where it says so. */
  protocol: string | undefined;
}

export interface McpAnswer {
  status: number;
  /** null where there is nothing to say. */
  json: string | null;
}

/** Answers a message, or several at once, with the tools that the caller may use. */
export type ToolServer = (caller: Caller, message: McpMessage) => Promise<McpAnswer>;

/** The node as a tool server (Model Context Protocol, streamable HTTP without sessions). */
export class McpService {
  readonly #server: () => Promise<ToolServer>;

  /** `load` is called when the first message comes: a node that nobody uses so is spared it. */
  constructor(load: () => Promise<ToolServer>) {
    this.#server = loadedOnce(load);
  }

  async answer(caller: Caller, message: McpMessage): Promise<McpAnswer> {
    registered(caller);
    return (await this.#server())(caller, message);
  }
}
