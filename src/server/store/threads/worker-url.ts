/** A worker's file: beside this one or beside the module at `of`, as source or as built. */
export function workerUrl(name: string, of: string = import.meta.url): URL {
  return new URL(`./${name}${of.endsWith('.ts') ? '.ts' : '.js'}`, of);
}
