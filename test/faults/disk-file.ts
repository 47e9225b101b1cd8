/** How many bytes a disk writes at once, or not at all. */
const sector = 512;

/** One change of a file's bytes. */
export type Change = { at: number; bytes: Uint8Array } | { size: number };

/** What a power cut leaves of the changes that no sync has brought to the disk. */
export type Fate = 'none' | 'all' | 'in order' | 'some' | 'torn';
export const fates: readonly Fate[] = ['none', 'all', 'in order', 'some', 'torn'];

/** Bytes that grow. */
class Content {
  #bytes: Buffer;
  #size: number;

  constructor(bytes: Uint8Array = Buffer.alloc(0)) {
    this.#bytes = Buffer.from(bytes);
    this.#size = bytes.length;
  }

  get size(): number {
    return this.#size;
  }

  get bytes(): Uint8Array {
    return this.#bytes.subarray(0, this.#size);
  }

  apply(change: Change): void {
    if ('size' in change) this.resize(change.size);
    else {
      this.resize(Math.max(this.#size, change.at + change.bytes.length));
      this.#bytes.set(change.bytes, change.at);
    }
  }

  resize(size: number): void {
    if (size > this.#bytes.length) {
      const grown = Buffer.alloc(Math.max(size, 2 * this.#bytes.length, 4096));
      grown.set(this.bytes);
      this.#bytes = grown;
    }
    // What lies behind the end comes back as zeros.
    if (size < this.#size) this.#bytes.fill(0, size, this.#size);
    this.#size = size;
  }
}

/** A file: what of it is on the disk, and what may be or not. */
export class DiskFile {
  readonly #stable = new Content();
  #pending: Change[] = [];
  /** How many changes there were before the pending ones. */
  #settled = 0;

  change(change: Change): void {
    this.#pending.push(change);
  }

  /** How many changes there have been. */
  get changes(): number {
    return this.#settled + this.#pending.length;
  }

  /** The first so many changes are on the disk. */
  settle(changes: number): void {
    const settled = this.#pending.splice(0, Math.max(0, changes - this.#settled));
    for (const change of settled) this.#stable.apply(change);
    this.#settled += settled.length;
  }

  /** Its bytes as a power cut leaves them. `random` gives numbers from 0 to below 1. */
  after(fate: Fate, random: () => number): Uint8Array {
    if (this.#pending.length === 0) return this.#stable.bytes;
    const left = new Content(this.#stable.bytes);
    for (const change of kept(this.#pending, fate, random)) left.apply(change);
    const size = sizeAfter(this.#stable.size, this.#pending);
    // Systems may note how long a file has become before its bytes are there: zeros, or what the sectors held before.
    if (fate !== 'none' && size > left.size && random() < 0.5) {
      const from = left.size;
      left.resize(size);
      if (random() < 0.5) left.bytes.subarray(from).forEach((_, i, rest) => (rest[i] = random() * 256));
    }
    return left.bytes;
  }
}

function sizeAfter(size: number, changes: Change[]): number {
  return changes.reduce((so, it) => ('size' in it ? it.size : Math.max(so, it.at + it.bytes.length)), size);
}

function* kept(pending: Change[], fate: Fate, random: () => number): Generator<Change> {
  if (fate === 'none') return;
  if (fate === 'all') yield* pending;
  else if (fate === 'in order') {
    const last = Math.floor(random() * pending.length);
    yield* pending.slice(0, last);
    yield* sectorsOf(pending[last] as Change, random, 0.5);
  } else {
    const share = [0.1, 0.5, 0.9][Math.floor(random() * 3)] as number;
    for (const change of pending) {
      if (fate === 'torn') yield* sectorsOf(change, random, share);
      else if (random() < share) yield change;
    }
  }
}

/** Some of the sectors of a write; a change of the size as a whole or not. */
function* sectorsOf(change: Change, random: () => number, share: number): Generator<Change> {
  if ('size' in change) {
    if (random() < share) yield change;
    return;
  }
  for (let from = 0; from < change.bytes.length; ) {
    const to = Math.min(change.bytes.length, from + sector - ((change.at + from) % sector));
    if (random() < share) yield { at: change.at + from, bytes: change.bytes.subarray(from, to) };
    from = to;
  }
}
