/** What is to be arranged; nodes by their number. */
export interface LayoutTask {
  /** Answers carry it, so that late ones are known. */
  run: number;
  /** x and y of each node. */
  places: Float32Array;
  /** Both ends of each edge. */
  ends: Uint32Array;
  /** Whether the way there is told, and not the end alone. */
  slices: boolean;
}

export interface LayoutAnswer {
  run: number;
  places: Float32Array<ArrayBuffer>;
  done: boolean;
}

/**
 * Arranges graphs in a thread, one at a time: a newer one ends the older. Where the thread's script does not come, as from a node that is
 * away, everything stays where it is, and the next one is tried with another thread.
 */
export class Layout implements Disposable {
  readonly #onPlaces: (answer: LayoutAnswer) => void;
  #worker: Worker | null = null;
  #run = 0;

  constructor(onPlaces: (answer: LayoutAnswer) => void) {
    this.#onPlaces = onPlaces;
  }

  start(task: Omit<LayoutTask, 'run'>): void {
    const run = ++this.#run;
    this.#worker ??= new Worker(new URL('./layout-worker.ts', import.meta.url), { type: 'module' });
    this.#worker.onmessage = ({ data }: MessageEvent<LayoutAnswer>) => {
      if (data.run === run) this.#onPlaces(data);
    };
    this.#worker.onerror = () => {
      this.#worker = null;
      this.#onPlaces({ run, places: new Float32Array(task.places), done: true });
    };
    this.#worker.postMessage({ ...task, run } satisfies LayoutTask);
  }

  [Symbol.dispose](): void {
    this.#worker?.terminate();
  }
}
