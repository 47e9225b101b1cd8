import { isMap, type Json } from '../../entity/model/json.ts';
import { type JsonFault, jsonFault } from '../../entity/model/json-fault.ts';
import { draftOf, type FlowDraft } from './flow-draft.ts';

/** A flow as JSON text. */
export function flowText({ entry, flow }: FlowDraft): string {
  return JSON.stringify({ entry, flow }, null, 2);
}

/** What is wrong with a text that is to be a flow; null if nothing is. `object`: it is JSON, and no flow. */
export function flowFault(text: string): JsonFault | null {
  const fault = jsonFault(text);
  if (fault || draftOf(JSON.parse(text) as Json)) return fault;
  return { reason: 'object', line: 1, column: 1, what: '' };
}

/** The flow that a text is; null where something is wrong with it. */
export function flowIn(text: string): FlowDraft | null {
  return flowFault(text) ? null : draftOf(JSON.parse(text) as Json);
}

/** The members of a text that is JSON which are none of a flow, and do not count. */
export function besideFlow(text: string): string[] {
  const value = jsonFault(text) ? null : (JSON.parse(text) as Json);
  return isMap(value) ? Object.keys(value).filter((name) => name !== 'entry' && name !== 'flow') : [];
}
