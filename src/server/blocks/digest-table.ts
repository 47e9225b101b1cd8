const buckets = 256;
const firstSlots = 8;

interface Bucket {
  count: number;
  keys: Uint8Array;
  values: Float64Array;
}

/**
 * SHA-256 digests with two numbers each, about 85 bytes an entry: open addressing in 256 buckets that grow one by one,
 * so that no growth holds the event loop. An all-zero slot is told from a key by its first value being NaN.
 */
export class DigestTable {
  size = 0;
  private readonly buckets: (Bucket | undefined)[] = new Array(buckets);

  /** Adds a digest; one that is there keeps its numbers, and the answer is false. */
  add(digest: Uint8Array, a: number, b: number): boolean {
    const index = digest[0] as number;
    let bucket = this.buckets[index];
    if (!bucket) this.buckets[index] = bucket = newBucket(firstSlots);
    else if (bucket.count * 8 >= 3 * bucket.values.length) this.buckets[index] = bucket = grown(bucket);
    const slot = find(bucket, digest);
    if (!Number.isNaN(bucket.values[2 * slot])) return false;
    put(bucket, slot, digest, a, b);
    this.size++;
    return true;
  }

  /** The two numbers of a digest. */
  get(digest: Uint8Array): [number, number] | undefined {
    const bucket = this.buckets[digest[0] as number];
    if (!bucket) return undefined;
    const slot = find(bucket, digest);
    const a = bucket.values[2 * slot] as number;
    return Number.isNaN(a) ? undefined : [a, bucket.values[2 * slot + 1] as number];
  }

  has(digest: Uint8Array): boolean {
    return this.get(digest) !== undefined;
  }
}

function newBucket(slots: number): Bucket {
  return { count: 0, keys: new Uint8Array(slots * 32), values: new Float64Array(slots * 2).fill(Number.NaN) };
}

/** The slot of a digest, or the free one where it belongs. At most three quarters of the slots are ever used. */
function find(bucket: Bucket, digest: Uint8Array): number {
  const slots = bucket.values.length / 2;
  const spread = ((digest[1] as number) << 16) | ((digest[2] as number) << 8) | (digest[3] as number);
  let slot = spread % slots;
  while (!Number.isNaN(bucket.values[2 * slot]) && !equal(bucket.keys, slot * 32, digest)) slot = (slot + 1) % slots;
  return slot;
}

function equal(keys: Uint8Array, from: number, digest: Uint8Array): boolean {
  for (let i = 31; i >= 0; i--) if (keys[from + i] !== digest[i]) return false;
  return true;
}

function put(bucket: Bucket, slot: number, digest: Uint8Array, a: number, b: number): void {
  bucket.keys.set(digest, slot * 32);
  bucket.values[2 * slot] = a;
  bucket.values[2 * slot + 1] = b;
  bucket.count++;
}

function grown(old: Bucket): Bucket {
  const slots = old.values.length / 2;
  const bucket = newBucket(2 * slots);
  for (let slot = 0; slot < slots; slot++) {
    const a = old.values[2 * slot] as number;
    if (Number.isNaN(a)) continue;
    const digest = old.keys.subarray(slot * 32, slot * 32 + 32);
    put(bucket, find(bucket, digest), digest, a, old.values[2 * slot + 1] as number);
  }
  return bucket;
}
