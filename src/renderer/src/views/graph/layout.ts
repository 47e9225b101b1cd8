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

/** Arranges graphs in a thread, one at a time: a newer one ends the older. */
export class Layout implements Disposable {
  readonly #worker = new Worker(new URL('./layout-worker.ts', import.meta.url), { type: 'module' });
  #run = 0;

  constructor(onPlaces: (answer: LayoutAnswer) => void) {
    this.#worker.addEventListener('message', ({ data }: MessageEvent<LayoutAnswer>) => {
      if (data.run === this.#run) onPlaces(data);
    });
  }

  start(task: Omit<LayoutTask, 'run'>): void {
    this.#run++;
    this.#worker.postMessage({ ...task, run: this.#run } satisfies LayoutTask);
  }

  [Symbol.dispose](): void {
    this.#worker.terminate();
  }
}
