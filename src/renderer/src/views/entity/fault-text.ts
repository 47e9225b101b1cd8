import type { Texts } from '../../messages/translate.ts';
import type { JsonFault } from './model/json-fault.ts';

const sentences = { syntax: 'field.jsonAt', twice: 'field.jsonTwice', number: 'field.jsonNumber' } as const;

/** What is wrong with a JSON text, in a sentence. */
export function faultText(t: Texts['t'], { reason, line, column, what }: JsonFault): string {
  return reason === 'object' ? t('field.noObject') : t(sentences[reason], { line, column, what: what.slice(0, 100) });
}
