/** The same direction with length 1, in place; null where there is none. */
export function normalized(vector: Float32Array): Float32Array | null {
  let squares = 0;
  for (const x of vector) squares += x * x;
  if (!(squares > 1e-12) || squares === Number.POSITIVE_INFINITY) return null;
  const length = Math.sqrt(squares);
  for (let k = 0; k < vector.length; k++) vector[k] = (vector[k] as number) / length;
  return vector;
}

export function dot(a: Float32Array, b: Float32Array): number {
  let sum = 0;
  for (let k = 0; k < a.length; k++) sum += (a[k] as number) * (b[k] as number);
  return sum;
}
