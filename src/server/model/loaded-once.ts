/** Loads what is asked for once, when it is first asked for; what could not be loaded is loaded again at the next time. */
export function loadedOnce<T>(load: () => Promise<T>): () => Promise<T> {
  let loaded: Promise<T> | undefined;
  return () => {
    if (loaded) return loaded;
    const loading = load();
    loaded = loading;
    loading.catch(() => {
      loaded = undefined;
    });
    return loading;
  };
}
