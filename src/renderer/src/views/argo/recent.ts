import { useSyncExternalStore } from 'react';
import { currentNetwork } from '../../api/client.ts';
import { newListeners } from '../../listeners.ts';

// Queries that were run in this tab, the last one first. They end with it.

const most = 20;
const { subscribe, tell } = newListeners();
let known: { name: string; queries: readonly string[] } = { name: '', queries: [] };

function queries(): readonly string[] {
  const name = `queries ${currentNetwork()}`;
  if (known.name !== name) known = { name, queries: stored(name) };
  return known.queries;
}

function stored(name: string): string[] {
  try {
    const value: unknown = JSON.parse(sessionStorage.getItem(name) ?? '[]');
    return Array.isArray(value) ? value.filter((one) => typeof one === 'string').slice(0, most) : [];
  } catch {
    return [];
  }
}

function keep(next: readonly string[]): void {
  const name = `queries ${currentNetwork()}`;
  known = { name, queries: next };
  try {
    sessionStorage.setItem(name, JSON.stringify(next));
  } catch {
    // Too much for the browser's storage: they are still in memory.
  }
  tell();
}

export function remember(query: string): void {
  const others = queries().filter((one) => one !== query);
  if (queries()[0] !== query) keep([query, ...others].slice(0, most));
}

export function forgetAll(): void {
  keep([]);
}

/** What is typed, and the query in whose place: the one that the address asks, if it asks any. */
interface Typed {
  asked: string | undefined;
  text: string;
}

let kept: Typed | null = null;

/** Keeps what is typed and was not run, while one looks elsewhere; what is run by now, or taken back, is not kept. */
export function keepTyped(typed: Typed): void {
  if (typed.text !== (typed.asked ?? '')) kept = typed;
  else if (kept?.asked === typed.asked || kept?.text === typed.text) kept = null;
}

export function forgetTyped(): void {
  kept = null;
}

/** What stands in the editor at first: what was typed in the place of this query, or of another one where none is asked. */
export function typedAt(asked: string | undefined): Typed {
  const text = kept && (asked === undefined || kept.asked === asked) ? kept.text : (asked ?? '');
  return { asked, text };
}

export function useRecent(): readonly string[] {
  return useSyncExternalStore(subscribe, queries);
}
