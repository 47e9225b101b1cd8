import type { Issue, IssuePath } from '../errors.ts';

/** Deeper than any record that people write, shallow enough for every recursive reader of it. */
export const maxDepth = 200;

/**
 * What is wrong with a JSON value as something to be stored exactly (decisions.md, JSON and numbers): integers beyond
 * 2^53-1, numbers too large for a double, unpaired surrogates, nesting beyond `maxDepth`. Empty where nothing is.
 * `path` is where the value stands in its request.
 */
export function jsonIssues(value: unknown, path: IssuePath): Issue[] {
  const issues: Issue[] = [];
  collect(value, path, 0, issues);
  return issues;
}

function collect(value: unknown, path: IssuePath, depth: number, issues: Issue[]): void {
  if (typeof value === 'string') {
    if (!value.isWellFormed()) issues.push({ path, message: 'holds an unpaired surrogate' });
  } else if (typeof value === 'number') {
    if (!Number.isFinite(value) || (Number.isInteger(value) && !Number.isSafeInteger(value)))
      issues.push({ path, message: 'is beyond 2^53-1 and cannot be stored exactly' });
  } else if (typeof value === 'object' && value !== null) {
    if (depth >= maxDepth) issues.push({ path, message: `is nested deeper than ${maxDepth} levels` });
    else if (Array.isArray(value))
      for (let i = 0; i < value.length; i++) collect(value[i], [...path, i], depth + 1, issues);
    else
      for (const key of Object.keys(value)) {
        if (!key.isWellFormed()) issues.push({ path, message: 'has a name with an unpaired surrogate' });
        collect((value as Record<string, unknown>)[key], [...path, key], depth + 1, issues);
      }
  }
}
