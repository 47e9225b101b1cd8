import type { Issue, IssuePath } from '../errors.ts';

/** Deeper than any record that people write, shallow enough for every recursive reader of it. */
export const maxDepth = 200;

/** How many issues are told of one value: a hostile body must not make millions. */
export const maxIssues = 100;

/**
 * What is wrong with a JSON value as something to be stored exactly (decisions.md, JSON and numbers): integers beyond
 * 2^53-1, numbers too large for a double, unpaired surrogates, nesting beyond `maxDepth`. Empty where nothing is; the
 * search ends at `maxIssues`. `path` is where the value stands in its request.
 */
export function jsonIssues(value: unknown, path: IssuePath): Issue[] {
  const issues: Issue[] = [];
  collect(value, [...path], 0, issues);
  return issues;
}

/** `path` is one list that grows and shrinks with the walk; an issue gets a copy. */
function collect(value: unknown, path: IssuePath, depth: number, issues: Issue[]): void {
  if (issues.length >= maxIssues) return;
  if (typeof value === 'string') {
    if (!value.isWellFormed()) tell(issues, path, 'holds an unpaired surrogate');
  } else if (typeof value === 'number') {
    if (!Number.isFinite(value) || (Number.isInteger(value) && !Number.isSafeInteger(value)))
      tell(issues, path, 'is beyond 2^53-1 and cannot be stored exactly');
  } else if (typeof value === 'object' && value !== null) {
    if (depth >= maxDepth) tell(issues, path, `is nested deeper than ${maxDepth} levels`);
    else if (Array.isArray(value)) collectItems(value, path, depth, issues);
    else collectMembers(value as Record<string, unknown>, path, depth, issues);
  }
}

function collectItems(list: unknown[], path: IssuePath, depth: number, issues: Issue[]): void {
  for (let i = 0; i < list.length && issues.length < maxIssues; i++) {
    path.push(i);
    collect(list[i], path, depth + 1, issues);
    path.pop();
  }
}

function collectMembers(object: Record<string, unknown>, path: IssuePath, depth: number, issues: Issue[]): void {
  for (const key of Object.keys(object)) {
    if (issues.length >= maxIssues) return;
    if (!key.isWellFormed()) tell(issues, path, 'has a name with an unpaired surrogate');
    path.push(key);
    collect(object[key], path, depth + 1, issues);
    path.pop();
  }
}

function tell(issues: Issue[], path: IssuePath, message: string): void {
  issues.push({ path: [...path], message });
}

/** Whether a JSON value is nested deeper than so many levels. */
export function isDeeper(value: unknown, levels: number): boolean {
  let level = [value];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > levels) return true;
    level = level.flatMap((one) => (typeof one === 'object' && one !== null ? Object.values(one) : []));
  }
  return false;
}

/** Whether a JSON value holds at most so many values, and so many characters in its texts and names. It looks no further. */
export function isWithin(value: unknown, most: { values: number; characters: number }): boolean {
  let values = 0;
  let characters = 0;
  const left: unknown[] = [value];
  for (let one = left.pop(); one !== undefined; one = left.pop()) {
    if (typeof one === 'string') characters += one.length;
    if (++values > most.values || characters > most.characters) return false;
    if (typeof one !== 'object' || one === null) continue;
    const isList = Array.isArray(one);
    const names = Object.keys(one);
    if (left.length + names.length > most.values) return false;
    for (const name of names) {
      if (!isList) characters += name.length;
      left.push((one as Record<string, unknown>)[name]);
    }
  }
  return true;
}
