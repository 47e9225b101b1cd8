/** What is to be processed with what, as the address has it. */
export interface ProcessAddress {
  processor?: string | undefined;
  /** Entities. */
  targets?: string[] | undefined;
  collection?: string | undefined;
}

export function processAddress({ processor, targets, collection }: Record<string, unknown>): ProcessAddress {
  const ids = Array.isArray(targets) ? targets.filter((one) => typeof one === 'string').slice(0, 100) : [];
  return {
    ...(typeof processor === 'string' ? { processor } : {}),
    ...(ids.length > 0 ? { targets: ids } : {}),
    ...(typeof collection === 'string' ? { collection } : {}),
  };
}
