import { Failure } from '../../api/failure.ts';
import type { MessageKey } from '../../messages/translate.ts';
import { tokenize } from './language/tokens.ts';

/** Where a query cannot be read, and why. */
export interface Fault {
  from: number;
  to: number;
  /** The node's own words. */
  words: string;
  /** What to do about it. */
  advice: MessageKey;
}

const advice: [RegExp, MessageKey][] = [
  [/^entry point expected/, 'argo.fault.entry'],
  [/^unterminated text/, 'argo.fault.openText'],
  [/^empty text/, 'argo.fault.emptyText'],
  [/^(?:text|query) of more than/, 'argo.fault.long'],
  [/^text expected/, 'argo.fault.text'],
  [/^id expected/, 'argo.fault.id'],
  [/^type name expected/, 'argo.fault.type'],
  [/relation terms? expected/, 'argo.fault.relation'],
  [/^\] expected/, 'argo.fault.bracket'],
  [/^arrow end expected/, 'argo.fault.arrow'],
  [/^depth|^number|^\} expected/, 'argo.fault.depth'],
  [/^unknown scope|^[()] expected/, 'argo.fault.scope'],
  [/^unexpected input/, 'argo.fault.unexpected'],
];

/** What the node could not read of a query; null where something else failed. */
export function faultOf(error: unknown, query: string): Fault | null {
  if (!(error instanceof Failure) || error.kind !== 'invalid') return null;
  const { position } = error.details;
  const words = error.issues[0]?.message;
  if (typeof position !== 'number' || words === undefined) return null;
  const from = Math.min(position, query.length);
  const piece = tokenize(query).tokens.find((token) => token.from <= from && from < token.to);
  return {
    from,
    to: Math.min(query.length, piece?.to ?? from + 1),
    words,
    advice: advice.find(([pattern]) => pattern.test(words))?.[1] ?? 'argo.fault.unexpected',
  };
}
