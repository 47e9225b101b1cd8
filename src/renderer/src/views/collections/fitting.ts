import { folded } from '../../components/marked-words.ts';

/** A collection that can be chosen, by its name. */
export interface Line {
  id: string;
  label: string;
}

/** So many of those that fit are offered. */
export const mostOffered = 50;

export function linesOf(collections: readonly { id: string; label: string | null }[]): Line[] {
  return collections.map(({ id, label }) => ({ id, label: label || id }));
}

/** Those that a text may mean, what it is the name or the id of first, then what begins with it. */
export function fitting(all: readonly Line[], text: string): readonly Line[] {
  const part = folded(text.trim());
  if (part === '') return all;
  const by = Map.groupBy(all, ({ id, label }) => {
    const name = folded(label);
    if (name === part || id === text.trim()) return 'whole';
    return name.startsWith(part) ? 'beginning' : name.includes(part) ? 'part' : 'none';
  });
  return [...(by.get('whole') ?? []), ...(by.get('beginning') ?? []), ...(by.get('part') ?? [])];
}
