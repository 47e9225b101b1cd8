import { numberOf } from '../entity/model/kinds.ts';
import type { Peer } from '../entity/relationships/peer-query.ts';
import type { BulkChange } from './bulk.ts';

/** A change of many entities as it is typed. */
export interface BulkDraft {
  kind: BulkChange['kind'];
  /** Of a property, or a predicate. */
  name: string;
  value: string;
  as: 'text' | 'number' | 'boolean';
  peer: Peer | null;
  note: string;
}

export const noDraft: BulkDraft = { kind: 'set', name: '', value: '', as: 'text', peer: null, note: '' };

/** Whether there is something to lose. */
export function isTyped({ name, value, peer, note }: BulkDraft): boolean {
  return name !== '' || value !== '' || peer !== null || note !== '';
}

/** What is chosen of yes and no; none as long as neither is. */
export const truths = new Map([
  ['true', true],
  ['false', false],
]);

const predicatePattern = /^[a-z][a-z0-9_]{0,49}$/;

/** The property that is meant by a name: without blanks at its ends, unless one of the `properties` that are known is just that. */
export function propertyMeant(name: string, properties: readonly string[]): string {
  return properties.includes(name) ? name : name.trim();
}

/** The change that is meant; null as long as something is missing. */
export function changeOf(
  { kind, name: typedName, value, as, peer }: BulkDraft,
  properties: readonly string[],
): BulkChange | null {
  if (kind === 'delete') return { kind };
  const name = propertyMeant(typedName, properties);
  if (name === '') return null;
  if (kind === 'remove') return { kind, name };
  if (kind === 'relate') return peer && predicatePattern.test(typedName) ? { kind, predicate: typedName, peer } : null;
  const typed = as === 'number' ? numberOf(value) : as === 'boolean' ? truths.get(value) : value;
  return typed === null || typed === undefined ? null : { kind, name, value: typed };
}
