import type { MessageKey, Texts } from '../../messages/translate.ts';

const facts = ['id', 'type', 'label', 'ver', 'created_at', 'updated_at'];

/** A column as people read it: what every entity has by its text, properties and predicates by their own names. */
export function columnTitle({ t }: Pick<Texts, 't'>, column: string): string {
  if (facts.includes(column)) return t(`column.${column}` as MessageKey);
  return column.replace(/^(?:properties|relationships)\./, '');
}
