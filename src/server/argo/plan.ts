/** A query as plain data (argo.md 1). */
export interface Plan {
  /** Where the entry is sought; null: everywhere. */
  scope: Scope | null;
  entry: Node;
  /** What the entry's candidates must be, or by what they are ranked anew. */
  filter: Node | null;
  hops: Hop[];
}

export type Scope = { kind: 'collections' | 'discover' | 'public' } | { kind: 'collection'; id: string };

/** What an entity must be. A text alone, or with types, ranks. */
export type Node =
  | { kind: 'text'; text: string }
  | { kind: 'id'; id: string }
  /** One of the types, compared as they are written. */
  | { kind: 'types'; types: string[]; text: string | null };

export interface Hop {
  direction: 'out' | 'in' | 'both';
  /** Names of relations; null: any. */
  terms: string[] | null;
  /** Relationships that lead to the target; null: exactly one. */
  depth: Depth | null;
  /** null: missing, which is refused when the query runs (argo.md, A3). */
  target: Node | null;
}

export interface Depth {
  least: number;
  most: number;
}

/** The plan on one line (argo.md 3): `sem("x") filter types(a/b) ; out [p/q] 1..4 types(c)`. */
export function notation({ scope, entry, filter, hops }: Plan): string {
  const within = scope === null ? '' : `scope ${scope.kind}${scope.kind === 'collection' ? `(${scope.id})` : ''}; `;
  const start = `${nodeNotation(entry)}${filter ? ` filter ${nodeNotation(filter)}` : ''}`;
  return `${within}${[start, ...hops.map(hopNotation)].join(' ; ')}`;
}

function hopNotation({ direction, terms, depth, target }: Hop): string {
  const relation = terms === null ? '*' : `[${terms.join('/')}]`;
  const range = depth === null ? '1' : `${depth.least}..${depth.most}`;
  return `${direction} ${relation} ${range} ${target === null ? 'NO-TARGET' : nodeNotation(target)}`;
}

function nodeNotation(node: Node): string {
  switch (node.kind) {
    case 'text':
      return `sem(${quoted(node.text)})`;
    case 'id':
      return `id(${node.id})`;
    case 'types':
      return `types(${node.types.map(typeNotation).join('/')})${node.text === null ? '' : `~${quoted(node.text)}`}`;
  }
}

function typeNotation(name: string): string {
  return /^\w+(?:[-.]\w+)*$/.test(name) ? name : quoted(name);
}

function quoted(text: string): string {
  return `"${text.replaceAll(/["\\]/g, '\\$&')}"`;
}
