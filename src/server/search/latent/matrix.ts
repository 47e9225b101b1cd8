/** Texts as sparse rows: `terms` and `weights` of row i lie from `starts[i]` to `starts[i + 1]`. */
export interface SparseRows {
  starts: Int32Array;
  terms: Int32Array;
  weights: Float32Array;
}

/** A pause between two pieces of some milliseconds of work. */
export type Steps<T> = Generator<undefined, T, undefined>;

/** Transposed(rows) * rows * factor: `factor` has `width` numbers for each term. */
export function* multiplied(rows: SparseRows, factor: Float32Array, width: number): Steps<Float32Array> {
  const { starts, terms, weights } = rows;
  const product = new Float32Array(factor.length);
  const sum = new Float32Array(width);
  for (let row = 0; row + 1 < starts.length; row++) {
    if (row % 100 === 99) yield;
    const [from, to] = [starts[row] as number, starts[row + 1] as number];
    sum.fill(0);
    for (let i = from; i < to; i++) {
      const [at, weight] = [(terms[i] as number) * width, weights[i] as number];
      for (let k = 0; k < width; k++) sum[k] = (sum[k] as number) + weight * (factor[at + k] as number);
    }
    for (let i = from; i < to; i++) {
      const [at, weight] = [(terms[i] as number) * width, weights[i] as number];
      for (let k = 0; k < width; k++) product[at + k] = (product[at + k] as number) + weight * (sum[k] as number);
    }
  }
  return product;
}

/** Makes the columns orthogonal and of length 1, in place; columns that depend on others become 0. */
export function* orthonormalized(columns: Float32Array, width: number): Steps<Float32Array> {
  // Twice: the first time errors of rounding remain.
  for (let time = 0; time < 2; time++) {
    const gram = yield* gramOf(columns, width);
    const inverse = inverseFactor(gram, width);
    const row = new Float32Array(width);
    for (let at = 0; at < columns.length; at += width) {
      if ((at / width) % 50 === 49) yield;
      row.fill(0);
      for (let i = 0; i < width; i++) {
        const x = columns[at + i] as number;
        if (x === 0) continue;
        const from = i * width;
        for (let j = i; j < width; j++) row[j] = (row[j] as number) + x * (inverse[from + j] as number);
      }
      columns.set(row, at);
    }
  }
  return columns;
}

/** The products of all pairs of columns: the upper half. */
function* gramOf(columns: Float32Array, width: number): Steps<Float64Array> {
  const gram = new Float64Array(width * width);
  const part = new Float32Array(width * width);
  const count = columns.length / width;
  for (let row = 0; row < count; row++) {
    const at = row * width;
    for (let i = 0; i < width; i++) {
      const x = columns[at + i] as number;
      if (x === 0) continue;
      const from = i * width;
      for (let j = i; j < width; j++) part[from + j] = (part[from + j] as number) + x * (columns[at + j] as number);
    }
    // Sums of a few hundred small numbers at a time, so that nothing is lost to rounding.
    if (row % 256 === 255 || row === count - 1) {
      for (let i = 0; i < gram.length; i++) gram[i] = (gram[i] as number) + (part[i] as number);
      part.fill(0);
    }
    if (row % 50 === 49) yield;
  }
  return gram;
}

/** Of a column that is others' sum no more than this part remains, for rounding. */
const dependent = 3e-6;

/** The inverse of the Cholesky factor R of a matrix given by its upper half (R upper, R' R the matrix). */
function inverseFactor(gram: Float64Array, width: number): Float32Array {
  const r = Float64Array.from(gram);
  const at = (i: number, j: number) => i * width + j;
  const get = (i: number, j: number) => r[at(i, j)] as number;
  const own = Float64Array.from({ length: width }, (_, i) => get(i, i));
  const dead = new Uint8Array(width);
  for (let i = 0; i < width; i++) {
    const pivot = get(i, i);
    if (!(pivot > dependent * (own[i] as number))) {
      dead[i] = 1;
      for (let j = i; j < width; j++) r[at(i, j)] = 0;
      continue;
    }
    const root = Math.sqrt(pivot);
    for (let j = i; j < width; j++) r[at(i, j)] = get(i, j) / root;
    for (let j = i + 1; j < width; j++) {
      const x = get(i, j);
      if (x !== 0) for (let k = j; k < width; k++) r[at(j, k)] = get(j, k) - x * get(i, k);
    }
  }
  const inverse = new Float64Array(width * width);
  for (let j = 0; j < width; j++) {
    if (dead[j]) continue;
    inverse[at(j, j)] = 1 / get(j, j);
    for (let i = j - 1; i >= 0; i--) {
      if (dead[i]) continue;
      let sum = 0;
      for (let k = i + 1; k <= j; k++) sum += get(i, k) * (inverse[at(k, j)] as number);
      inverse[at(i, j)] = -sum / get(i, i);
    }
  }
  return Float32Array.from(inverse);
}
