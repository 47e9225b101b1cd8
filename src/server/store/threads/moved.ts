/** From so many bytes on. Fewer are copied in less time than it would take to load what moves them. */
const movedFrom = 1024 * 1024;

/**
 * A result of a thread of a pool whose bytes, where they are many and fill their memory, change hands with it: the thread that
 * takes the result would be held up while it copies them.
 */
export async function moved<T extends object>(result: T, bytes: Uint8Array | undefined): Promise<T> {
  if (!bytes || bytes.byteLength < movedFrom || bytes.byteLength !== bytes.buffer.byteLength) return result;
  const { move, transferableSymbol, valueSymbol } = await import('piscina');
  const parcel: unknown = { [transferableSymbol]: bytes.buffer, [valueSymbol]: result };
  return move(parcel as ArrayBuffer) as unknown as T;
}
