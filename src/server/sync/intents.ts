import type { Row } from '../store/commit.ts';
import { noteRows } from './note-rows.ts';
import type { PushContext } from './push-context.ts';

/** What a request may make of an entity. */
interface Intended {
  id: string;
  /** The version here that it is made from. */
  tip: string;
  /** The remote's tip, null for none. */
  expect: string | null;
  /** The hash of what the remote says after it; empty where nobody can tell. */
  content: string;
}

/** Recorded before the request, so that a crash or a lost answer is known for what it may be (SPEC.md, P3). */
export async function recordIntents(ctx: PushContext, ...intended: Intended[]): Promise<void> {
  const { name } = ctx.remote;
  await noteRows(ctx, ...intended.map((one): Row => ({ kind: 'push_intent', remote: name, ...one })));
}
