import type { components } from '../../../api/schema.d.ts';

export type Column = components['schemas']['ImportColumnView'];

/** As what a property is stored; empty: as it comes. */
export type PropertyKind = '' | 'text' | 'number' | 'boolean' | 'date' | 'json' | 'list';

export const propertyKinds: PropertyKind[] = ['', 'text', 'number', 'boolean', 'date', 'list', 'json'];

/** What becomes of one column. */
export interface ColumnUse {
  use: 'property' | 'relationship' | 'none';
  /** The property's name. */
  name: string;
  kind: PropertyKind;
  predicate: string;
  /** The type of what the column's value leads to. */
  peerType: string;
  /** What separates several values in one cell; empty for one value. */
  split: string;
}

/** A mapping as it is made by hand. */
export interface MappingDraft {
  type: string;
  /** The column that tells records apart; empty: the whole record does. */
  id: string;
  label: string;
  /** Of its columns, in the order of the source. */
  names: readonly string[];
  columns: Record<string, ColumnUse>;
  /** A cell with nothing in it says nothing; an empty text in JSON is one. */
  isTable: boolean;
}

/** The columns that are mapped: members of objects go with the object. */
export function mappedColumns(columns: readonly Column[]): Column[] {
  const objects = new Set(columns.filter(({ looks }) => looks === 'object').map(({ name }) => name));
  return columns.filter(({ name }) => {
    const steps = name.split('.');
    // A name that ends in a dot (`Inv.-Nr.`) is no path into an object.
    return steps.includes('') || !steps.some((_, i) => i > 0 && objects.has(steps.slice(0, i).join('.')));
  });
}

const idNames = /^(id|identifier|acno|accession.*|inventory.*|inv.*n(o|r|um).*|number|no\.?|nr\.?|signatur)$/i;
const labelNames = /^(label|title|name|titel|bezeichnung|filename)$/i;

/** A first proposal from what the columns hold; `whole`: that is all that is imported, and not its beginning. */
export function proposedDraft(file: string, columns: readonly Column[], records: number, whole: boolean): MappingDraft {
  const shown = mappedColumns(columns);
  const unique = shown.filter(
    ({ filled, distinct, looks }) =>
      filled === records && distinct === filled && looks !== 'object' && looks !== 'list',
  );
  const id = unique.find(({ name }) => idNames.test(name)) ?? unique.find(({ looks }) => looks === 'number');
  const texts = shown.filter(({ looks }) => looks === 'text');
  const label = shown.find(({ name }) => labelNames.test(name)) ?? texts.find(({ name }) => name !== id?.name);
  return {
    type: typeOf(file),
    id: id?.name ?? '',
    label: label?.name ?? '',
    names: shown.map(({ name }) => name),
    columns: Object.fromEntries(shown.map((column) => [column.name, usualUse(column, whole)])),
    isTable: !/\.(?:ndjson|jsonl|json)(?:\.gz)?$/i.test(file),
  };
}

/**
 * A mapping for columns that are called otherwise, as those of the same file in another text encoding: they are told by their places,
 * and what was not named by hand is named after them. Null where they are more or fewer.
 */
export function carried(draft: MappingDraft, columns: readonly Column[]): MappingDraft | null {
  const names = mappedColumns(columns).map(({ name }) => name);
  if (names.length !== draft.names.length) return null;
  const now = new Map(draft.names.map((name, at) => [name, names[at] as string]));
  const uses = Object.entries(draft.columns).map(([old, use]): [string, ColumnUse] => {
    const name = now.get(old) ?? old;
    const [usual, next] = [predicateOf(old), predicateOf(name)];
    const predicate = use.predicate === usual ? next : use.predicate;
    const peerType = use.peerType === usual ? next : use.peerType;
    return [name, { ...use, name: use.name === old ? name : use.name, predicate, peerType }];
  });
  const { id, label } = draft;
  return { ...draft, id: now.get(id) ?? id, label: now.get(label) ?? label, names, columns: Object.fromEntries(uses) };
}

/** A file is called by what it holds, in the plural mostly. */
function typeOf(file: string): string {
  const name = file
    .replace(/\..*$/, '')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, '_')
    .replaceAll(/^_+|_+$/g, '');
  const single = name.replace(/ies$/, 'y').replace(/([^s])s$/, '$1');
  return ['', 'user', 'collection', 'import'].includes(single) ? 'record' : single.slice(0, 100);
}

function usualUse({ name, looks }: Column, whole: boolean): ColumnUse {
  const kind = looks === 'number' || looks === 'boolean' || looks === 'date' ? looks : '';
  const predicate = predicateOf(name);
  // What is empty at the beginning may be filled further on.
  const use = looks === 'empty' && whole ? 'none' : 'property';
  return { use, name, kind, predicate, peerType: predicate, split: '' };
}

/** A column's name as a predicate may be. */
export function predicateOf(name: string): string {
  const plain = name
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '_')
    .replaceAll(/^[_0-9]+|_+$/g, '');
  return plain === '' || plain === 'collection' ? 'related_to' : plain.slice(0, 50);
}

/** The mapping as the node takes it (mapping-file.ts of the server). */
export function mappingOf({ type, id, label, columns, isTable }: MappingDraft): Record<string, unknown> {
  const uses = Object.entries(columns);
  const properties = uses.filter(([, { use }]) => use === 'property');
  const except = uses.filter(([, { use }]) => use === 'none').map(([column]) => column);
  const rename = properties.filter(([column, { name }]) => name.trim() !== '' && name !== column);
  const as = properties.filter(([, { kind }]) => kind !== '');
  const nested = uses
    .filter(([, { use }]) => use === 'relationship')
    .map(([path, { predicate, peerType, split }]) => ({ path, predicate, type: peerType, ...(split && { split }) }));
  const record = {
    type,
    ...(id && { id }),
    ...(label && { label }),
    properties: {
      ...(except.length > 0 && { except }),
      ...(rename.length > 0 && {
        rename: Object.fromEntries(rename.map(([column, { name }]) => [column, name.trim()])),
      }),
      ...(as.length > 0 && { as: Object.fromEntries(as.map(([column, { kind }]) => [column, kind])) }),
      ...(isTable && { omit_empty: true }),
    },
    ...(nested.length > 0 && { nested }),
  };
  return { records: [record] };
}
