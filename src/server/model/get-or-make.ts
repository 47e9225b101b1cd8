/** The value of a key, made where there is none yet. */
export function getOrMake<K, V>(
  values: Pick<Map<K, V>, 'get'> & { set(key: K, value: V): unknown },
  key: K,
  make: () => V,
): V {
  const value = values.get(key) ?? make();
  values.set(key, value);
  return value;
}
