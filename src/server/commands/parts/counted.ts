export const number = (n: number): string => n.toLocaleString('en');

/** A number with its noun, in the form that the number takes: `1 entity`, `2,000 entities`. */
export function counted(n: number, noun: string): string {
  const many = noun.endsWith('y') ? `${noun.slice(0, -1)}ies` : `${noun}s`;
  return `${number(n)} ${n === 1 ? noun : many}`;
}
