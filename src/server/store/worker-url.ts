/** A worker's file: beside this one, as source or as built. */
export function workerUrl(name: string): URL {
  return new URL(`./${name}${import.meta.url.endsWith('.ts') ? '.ts' : '.js'}`, import.meta.url);
}
