import type { MessageKey } from '../../messages/translate.ts';

/** The codes of this node, and of its kit, with which most jobs fail; others are of those who wrote a processor. */
const codes = [
  'HANDOFF_REFUSED',
  'INVALID_INPUT',
  'INVALID_OUTPUT',
  'OUTPUT_TOO_LARGE',
  'PERMISSION_DENIED',
  'PROCESSING_ERROR',
  'REJECTED',
  'SERVICE_UNAVAILABLE',
  'TEMPORARY_FAILURE',
  'TIMEOUT',
] as const;

/** The text that says what a job's code means; undefined where only its message does. */
export function meaningOf(code: string): MessageKey | undefined {
  const known = codes.find((one) => one === code);
  return known && `job.code.${known}`;
}
