export type Kind = 'agent' | 'klados' | 'rhiza';
export type Status = 'development' | 'active' | 'disabled';

export const kinds: readonly Kind[] = ['agent', 'klados', 'rhiza'];
export const statuses: readonly Status[] = ['development', 'active', 'disabled'];

/** Which processors are listed, as the address has it. */
export interface ProcessorsAddress {
  type?: Kind | undefined;
  status?: Status | undefined;
  q?: string | undefined;
}

export function processorsAddress({ type, status, q }: Record<string, unknown>): ProcessorsAddress {
  const kind = kinds.find((one) => one === type);
  const state = statuses.find((one) => one === status);
  return {
    ...(kind ? { type: kind } : {}),
    ...(state ? { status: state } : {}),
    ...(q === undefined || q === '' ? {} : { q: String(q).slice(0, 200) }),
  };
}

/** Which kind is to be registered, as the address has it. */
export function newProcessorAddress({ kind }: Record<string, unknown>): { kind?: Kind } {
  const known = kinds.find((one) => one === kind);
  return known ? { kind: known } : {};
}
