/** What was learned from texts: a direction for each word and each run of characters. */
export interface LatentFacts {
  dimensions: number;
  words: string[];
  grams: string[];
  /** Of the words, then of the grams: `dimensions` numbers each, to be multiplied by the scale of their row. */
  rows: Int8Array;
  scales: Float32Array;
  /** The mean of all vectors: codes tell on which side of it one lies. */
  center: Float32Array;
}

/** Puts a row of the facts as small numbers, with the scale of its largest. */
export function putRow(
  { rows, scales }: Pick<LatentFacts, 'rows' | 'scales'>,
  row: number,
  values: Float32Array,
): void {
  const from = row * values.length;
  let most = 0;
  for (let k = 0; k < values.length; k++) most = Math.max(most, Math.abs(values[k] as number));
  if (most === 0) return;
  scales[row] = most / 127;
  for (let k = 0; k < values.length; k++) rows[from + k] = Math.round(((values[k] as number) / most) * 127);
}

/** Facts as bytes: the length of a JSON head, the head, the scales, the center, the rows. */
export function packFacts({ dimensions, words, grams, rows, scales, center }: LatentFacts): Uint8Array {
  const head = Buffer.from(JSON.stringify({ dimensions, words, grams }));
  const size = Buffer.alloc(4);
  size.writeUInt32LE(head.length);
  return Buffer.concat([size, head, bytesOf(scales), bytesOf(center), bytesOf(rows)]);
}

export function unpackFacts(bytes: Uint8Array): LatentFacts {
  const from = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const size = from.readUInt32LE(0);
  const { dimensions, words, grams } = JSON.parse(from.toString('utf8', 4, 4 + size)) as LatentFacts;
  const count = words.length + grams.length;
  let at = 4 + size;
  const take = (length: number): ArrayBuffer => {
    at += length;
    return Uint8Array.from(from.subarray(at - length, at)).buffer;
  };
  const scales = new Float32Array(take(4 * count));
  const center = new Float32Array(take(4 * dimensions));
  return { dimensions, words, grams, scales, center, rows: new Int8Array(take(count * dimensions)) };
}

function bytesOf({ buffer, byteOffset, byteLength }: ArrayBufferView<ArrayBufferLike>): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}
