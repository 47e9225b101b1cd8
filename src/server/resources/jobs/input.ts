import type { Issue } from '../../errors.ts';
import type { JsonObject } from '../../model/manifest.ts';
import type { ProcessorFacts } from './processors.ts';

/** Checks the input of an invocation against a JSON Schema; what is wrong stands below `path`. */
export type CheckInput = (schema: JsonObject, input: unknown, path: (string | number)[]) => Promise<Issue[]>;

/** What is wrong with the input for a processor; a schema is met by `{}` where there is none, or it is not. */
export class InputCheck {
  readonly #check: CheckInput;

  constructor(check: CheckInput) {
    this.#check = check;
  }

  async issues({ inputSchema }: Pick<ProcessorFacts, 'inputSchema'>, input: unknown): Promise<Issue[]> {
    return inputSchema === undefined ? [] : this.#check(inputSchema, input ?? {}, ['input']);
  }
}
