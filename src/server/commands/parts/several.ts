/** For an option that may be given several times: all its values, in their order. */
export function several(one: string, all: string[] | undefined): string[] {
  return [...(all ?? []), one];
}
