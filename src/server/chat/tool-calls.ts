import type { ToolCallDelta } from './completion-chunk.ts';
import { modelFault } from './model-error.ts';

/** A use of a tool as the language model asks for it; `text` is its arguments as they were written. */
export interface ToolCall {
  id: string;
  name: string;
  text: string;
}

const maxCalls = 16;
const maxArguments = 16_000;

/** Puts the calls of one completion together from their pieces. Ids are new where they are missing or used already. */
export class ToolCalls {
  readonly calls: ToolCall[] = [];
  readonly #places: { index: number | null; given: string | null }[] = [];
  readonly #used: Set<string>;

  /** `used` are the ids of calls so far; new ones are added. */
  constructor(used: Set<string>) {
    this.#used = used;
  }

  /** `begun` where the piece is a call's first. @throws UnreachableError where there are too many or too long ones */
  add({ index = null, id, function: called }: ToolCallDelta): { call: ToolCall; begun: boolean; text: string } {
    const text = called?.arguments ?? '';
    const known = this.#find(index, id || null);
    const call = known ?? this.#begin(index, id || null, called?.name ?? '');
    call.text += text;
    if (call.text.length > maxArguments) throw modelFault('called a tool with arguments that are too long');
    return { call, begun: known === undefined, text };
  }

  /** A piece without index or id goes on with the last call; another id begins another call, also under one index. */
  #find(index: number | null, id: string | null): ToolCall | undefined {
    const at = this.#places.findLastIndex(
      (place) => (index === null || place.index === index) && (id === null || place.given === id),
    );
    return this.calls[at];
  }

  #begin(index: number | null, id: string | null, name: string): ToolCall {
    if (this.calls.length === maxCalls) throw modelFault(`called more than ${maxCalls} tools at once`);
    const usable = id !== null && /^[\w.:-]{1,100}$/.test(id) && !this.#used.has(id);
    const call = { id: usable ? id : this.#newId(), name: name.slice(0, 100), text: '' };
    this.#used.add(call.id);
    this.#places.push({ index, given: id });
    this.calls.push(call);
    return call;
  }

  #newId(): string {
    let number = this.#used.size + 1;
    while (this.#used.has(`call_${number}`)) number++;
    return `call_${number}`;
  }
}
