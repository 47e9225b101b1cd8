/** Those who look on at something that stands outside of components, as `useSyncExternalStore` takes them. */
export function newListeners(): { subscribe(listener: () => void): () => void; tell(): void } {
  const listeners = new Set<() => void>();
  return {
    subscribe: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    tell: () => {
      for (const listener of listeners) listener();
    },
  };
}
