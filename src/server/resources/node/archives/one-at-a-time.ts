import { UnavailableError } from '../../../errors.ts';

const names = {
  archive: 'An import of an archive',
  backup: 'A backup',
  reindexing: 'A reindexing',
  verification: 'A verification',
} as const;

/** Long operations that must not run beside each other. */
export class OneAtATime {
  #running: keyof typeof names | null = null;
  #ended: Promise<void> = Promise.resolve();

  /** Begins an operation, to be disposed of when it ends. @throws UnavailableError while another one runs */
  begin(name: keyof typeof names): Disposable {
    this.refuseBeside();
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#running = name;
    this.#ended = promise;
    return {
      [Symbol.dispose]: () => {
        this.#running = null;
        resolve();
      },
    };
  }

  /** Begins an operation as soon as no other one runs. */
  async beginNext(name: keyof typeof names): Promise<Disposable> {
    while (this.#running !== null) await this.#ended;
    return this.begin(name);
  }

  /** For what comes before an operation begins, and would be in vain. @throws UnavailableError while one runs */
  refuseBeside(): void {
    const running = this.#running;
    if (running !== null)
      throw new UnavailableError(`${names[running]} is under way on this node: try again when it has ended.`, {
        under_way: running,
      });
  }
}
