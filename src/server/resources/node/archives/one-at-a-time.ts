import { UnavailableError } from '../../../errors.ts';

/** Long operations that must not run beside each other. */
export class OneAtATime {
  #running: string | null = null;

  /** Begins an operation, to be disposed of when it ends. @throws UnavailableError while another one runs */
  begin(name: string): Disposable {
    if (this.#running !== null)
      throw new UnavailableError(`${this.#running} is under way on this node: try again when it has ended.`);
    this.#running = name;
    return {
      [Symbol.dispose]: () => {
        this.#running = null;
      },
    };
  }
}
