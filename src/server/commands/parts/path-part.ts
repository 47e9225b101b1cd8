import { UsageError } from '../../config.ts';

/** What names one thing, as a part of a path: nothing and dots would lead to another. `not` says what they are none of. @throws UsageError */
export function pathPart(name: string, not: string): string {
  if (/^\.{0,2}$/.test(name)) throw new UsageError(`"${name}" is no ${not}.`);
  return encodeURIComponent(name);
}
