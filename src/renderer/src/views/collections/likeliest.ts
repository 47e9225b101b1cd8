import { folded } from '../../components/marked-words.ts';

/** What Enter means that came before it was known what fits: the only one, or the first, where its name begins so. */
export function likeliest<T extends { label: string | null }>(found: readonly T[], text: string): T | undefined {
  const part = folded(text.trim());
  const [first] = found;
  if (!first || part === '') return undefined;
  return found.length === 1 || folded(first.label ?? '').startsWith(part) ? first : undefined;
}
