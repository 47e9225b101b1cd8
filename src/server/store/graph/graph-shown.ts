import { getOrMake } from '../../model/get-or-make.ts';
import { previewOf } from '../../model/preview.ts';
import type { RecentMap } from '../../model/recent-map.ts';
import type { Reader } from '../connection.ts';
import { previewedText } from '../previewed-text.ts';
import type { Utf8Text } from '../utf8-text.ts';
import type { GraphEdge } from './graph-edges.ts';
import { shownMemory } from './graph-memory.ts';

/** What an answer says of the entities that it names, besides id, label and type. */
export type GraphExpansion = 'preview' | 'full' | 'none';

interface Row {
  id: string;
  type: string | null;
  label: string | null;
  collection: string | null;
  created_at: string;
  updated_at: string;
  size: number;
  description: string | null;
  text: string | null;
}

/** Texts of larger ones are read one by one. */
const maxAtOnce = 64 * 1024;
const textOf = (name: string): string =>
  `CASE WHEN octet_length(e.json) <= ? THEN ${previewedText(name)} END AS ${name}`;
const texts = `${textOf('description')}, ${textOf('text')}`;
const columns = `e.id, e.type, CASE e.deleted WHEN 0 THEN e.label ELSE '' END AS label, e.created_at, e.updated_at,
  (SELECT c.id FROM entity c WHERE c.key = e.collection) AS collection, coalesce(octet_length(e.json), 0) AS size`;

/** JSON text of an entity in a graph answer; `expansion` is empty where there is none, and null where it is too large. */
export interface Shown {
  id: string;
  /** Here and not deleted. */
  live: boolean;
  label: string;
  type: string;
  collection: string;
  expansion: string | null;
  /** What relationships say of it, by role. */
  members: Map<string, Uint8Array>;
}

/** Bytes of stored entities that one answer reads to expand, and of expansions that it has. */
const [maxRead, maxShown] = [64 * 1024 * 1024, 32 * 1024 * 1024];

/** Longer expansions, in characters, are not kept for the answers that follow. */
const longestKept = 2000;

/** What a relationship says of its peer, for one that is deleted or not here. */
export interface Copies {
  id?: string;
  type?: string | undefined;
  label?: string | undefined;
}

/**
 * The entities that an answer names, as JSON text. What is deleted, or not here, comes without expansion (decisions.md,
 * deleted partners); so does what is beyond the size of one answer.
 */
export class ShownEntities {
  readonly #db: Reader;
  readonly #expansion: GraphExpansion;
  readonly #rows = new Map<number, Row>();
  readonly #shown = new Map<number, Shown>();
  /** What the answers before have shown. */
  readonly #kept: RecentMap<number, Shown> | null;
  readonly #predicates = new Map<number, string>();
  readonly #predicateMembers = new Map<number, Uint8Array>();
  #read = 0;
  #size = 0;
  /** How many expansions there could be, and how many there are. */
  #total = 0;
  #expanded = 0;

  constructor(db: Reader, expansion: GraphExpansion) {
    this.#db = db;
    this.#expansion = expansion;
    this.#kept = expansion === 'preview' ? shownMemory(db) : null;
  }

  /** `"<role>_id":...,"<role>_label":...,"<role>_type":...` and the expansion. Both spellings of the id (decisions.md, Names). */
  members(role: string, key: number, copies: Copies = {}): string {
    const shown = this.#of(key);
    return headOf(role, shown, copies) + (this.#fits(shown.expansion) ? this.#expanding(role, shown) : '');
  }

  /** The entity itself in an answer of `POST /query`: as a result, or as a step of a path. */
  queried(key: number, as: 'result' | 'step'): string {
    const { id, label, type, collection, expansion } = this.#of(key);
    const name = this.#expansion === 'full' ? 'full_entity' : 'preview_data';
    const more = this.#fits(expansion) ? `,"${name}":${expansion}` : '';
    const said = `"type":${type},"label":${label}`;
    if (as === 'step') return `"entity":${id},${said}${more}`;
    return `"id":${id},"pi":${id},${said},"collection_id":${collection},"collection_pi":${collection}${more}`;
  }

  /** Whether the entity is here and not deleted. */
  isLive(key: number): boolean {
    return this.#of(key).live;
  }

  ids(role: string, key: number): string {
    const { id } = this.#of(key);
    return `"${role}_id":${id},"${role}_pi":${id}`;
  }

  /** Adds relationships, as a JSON array. */
  addEdges(text: Utf8Text, edges: readonly GraphEdge[]): void {
    for (const [i, { subject, predicate, object }] of edges.entries()) {
      text.add(i === 0 ? mark.first : mark.next);
      text.add(this.#member('subject', subject), this.#predicateMember(predicate), this.#member('object', object));
    }
    text.add(edges.length === 0 ? mark.none : mark.end);
  }

  /** As `members`; each once, as the paths of an answer name the same entities again and again. */
  #member(role: string, key: number): Uint8Array {
    const shown = this.#of(key);
    const fits = this.#fits(shown.expansion);
    return getOrMake(shown.members, fits ? `${role} whole` : role, () =>
      Buffer.from(headOf(role, shown, {}) + (fits ? this.#expanding(role, shown) : '')),
    );
  }

  #predicateMember(key: number): Uint8Array {
    return getOrMake(this.#predicateMembers, key, () => Buffer.from(`,"predicate":${this.predicate(key)},`));
  }

  predicate(key: number): string {
    const known = this.#predicates.get(key);
    if (known !== undefined) return known;
    const row = this.#db.get<{ name: string }>('SELECT name FROM predicate WHERE key = ?', key);
    const text = JSON.stringify(row?.name ?? '');
    this.#predicates.set(key, text);
    return text;
  }

  /** The end of the answer's members: says so where expansions are left out (decisions.md, G6). */
  metadata(): string {
    if (this.#expanded === this.#total) return '';
    const said = { total: this.#total, expanded: this.#expanded, truncated: true };
    return `,"_expansion_metadata":${JSON.stringify(said)}`;
  }

  /** Whether there is room for an expansion; counts it. */
  #fits(expansion: string | null): expansion is string {
    if (expansion === '') return false;
    this.#total++;
    if (expansion === null || this.#size + expansion.length > maxShown) return false;
    this.#expanded++;
    this.#size += expansion.length;
    return true;
  }

  #expanding(role: string, { expansion }: Shown): string {
    return `,"${role}_${this.#expansion === 'full' ? 'entity' : 'preview'}":${expansion}`;
  }

  #of(key: number): Shown {
    const known = this.#shown.get(key) ?? this.#again(key);
    if (known) return known;
    const row = this.#row(key);
    const shown = {
      id: JSON.stringify(row?.id ?? ''),
      live: row !== undefined && row.size > 0,
      label: JSON.stringify(row?.label ?? ''),
      type: JSON.stringify(row?.type ?? ''),
      collection: JSON.stringify(row?.collection ?? null),
      expansion: row ? this.#expansionOf(key, row) : '',
      members: new Map<string, Uint8Array>(),
    };
    this.#shown.set(key, shown);
    if (row && shown.expansion !== null && shown.expansion.length <= longestKept) this.#kept?.set(key, shown);
    return shown;
  }

  #again(key: number): Shown | undefined {
    const known = this.#kept?.get(key);
    if (known) this.#shown.set(key, known);
    return known;
  }

  /** Reads what the answer will say of some entities, all at once. */
  learn(keys: Iterable<number>): void {
    const rows = this.#db.all<Row & { key: number }>(
      `SELECT e.key, ${columns}, ${texts} FROM json_each(?) k CROSS JOIN entity e ON e.key = k.value`,
      ...this.#atOnce,
      JSON.stringify([...keys].filter((key) => !this.#again(key))),
    );
    for (const row of rows) this.#rows.set(row.key, row);
  }

  #row(key: number): Row | undefined {
    const sql = `SELECT ${columns}, ${texts} FROM entity e WHERE e.key = ?`;
    return this.#rows.get(key) ?? this.#db.get<Row>(sql, ...this.#atOnce, key);
  }

  get #atOnce(): [number, number] {
    const most = this.#expansion === 'preview' ? maxAtOnce : -1;
    return [most, most];
  }

  #expansionOf(key: number, row: Row): string | null {
    if (this.#expansion === 'none' || row.size === 0) return '';
    if (this.#read + row.size > maxRead) return null;
    this.#read += row.size;
    if (this.#expansion === 'full')
      return this.#db.get<{ json: string }>('SELECT json FROM entity WHERE key = ?', key)?.json ?? '{}';
    const { id, collection, created_at, updated_at } = row;
    const { description, text } = row.size > maxAtOnce ? (this.#textsOf(key) ?? row) : row;
    const facts = { id, collection, created_at, updated_at, type: row.type ?? '', label: row.label ?? '' };
    return JSON.stringify(previewOf(facts, { description, text }));
  }

  #textsOf(key: number): Pick<Row, 'description' | 'text'> | undefined {
    return this.#db.get(`SELECT ${texts} FROM entity e WHERE e.key = ?`, maxRead, maxRead, key);
  }
}

const mark = { none: Buffer.from('[]'), first: Buffer.from('[{'), next: Buffer.from('},{'), end: Buffer.from('}]') };

function headOf(role: string, { id, live, label, type }: Shown, copies: Copies): string {
  const said = {
    id: id === '""' ? JSON.stringify(copies.id ?? '') : id,
    label: live ? label : JSON.stringify(copies.label ?? ''),
    type: type === '""' ? JSON.stringify(copies.type ?? '') : type,
  };
  return `"${role}_id":${said.id},"${role}_pi":${said.id},"${role}_label":${said.label},"${role}_type":${said.type}`;
}
