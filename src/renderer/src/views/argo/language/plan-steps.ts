/** A plan as the node writes it (`sem("x") filter types(a/b) ; out [p/q] 1..4 types(c)`), read. */
export interface PlanStep {
  /** As it was written. */
  notation: string;
  /** What it says; null where it is written as this page does not know it. */
  read: PlanEntry | PlanHop | null;
}

export interface PlanEntry {
  kind: 'entry';
  scope: 'collections' | 'discover' | 'public' | 'collection' | null;
  /** The id of the collection that is the scope. */
  collection: string | null;
  start: PlanNode;
  filter: PlanNode | null;
}

export interface PlanHop {
  kind: 'hop';
  direction: 'out' | 'in' | 'both';
  /** Null: any. */
  relations: string[] | null;
  least: number;
  most: number;
  /** Null: there is none, so that nothing can be found. */
  target: PlanNode | null;
}

/** `types` is empty where a text or an id alone is meant. */
export interface PlanNode {
  types: string[];
  text: string | null;
  id: string | null;
}

const quoted = String.raw`"(?:[^"\\]|\\.)*"`;
const type = String.raw`(?:${quoted}|[^\s/()~"]+)`;
const node = String.raw`sem\(${quoted}\)|id\([^)]*\)|types\(${type}(?:\/${type})*\)(?:~${quoted})?`;
const entry = new RegExp(
  String.raw`^(?:scope (collections|discover|public|collection)(?:\(([^)]*)\))?; )?(${node})(?: filter (${node}))?$`,
  's',
);
const hop = new RegExp(String.raw`^(out|in|both) (\*|\[[^\]]*\]) (\d+)(?:\.\.(\d+))? (NO-TARGET|${node})$`, 's');

/** The steps of a plan, the entry first. */
export function planSteps(plan: string): PlanStep[] {
  return parts(plan).map((notation, i) => ({ notation, read: i === 0 ? entryOf(notation) : hopOf(notation) }));
}

/** The parts between ` ; ` that stands in no text. */
function parts(plan: string): string[] {
  return [...plan.matchAll(/(?:"(?:[^"\\]|\\.)*"|(?! ; )[^"])+/gs)].map(([part]) => part.replace(/^ ?; /, ''));
}

function entryOf(notation: string): PlanEntry | null {
  const [, scope = null, collection = null, start = '', filter] = entry.exec(notation) ?? [];
  if (start === '') return null;
  return {
    kind: 'entry',
    scope: scope as PlanEntry['scope'],
    collection,
    start: nodeOf(start),
    filter: filter === undefined ? null : nodeOf(filter),
  };
}

function hopOf(notation: string): PlanHop | null {
  const [, direction, relation = '', least = '', most = least, target = ''] = hop.exec(notation) ?? [];
  if (direction === undefined) return null;
  return {
    kind: 'hop',
    direction: direction as PlanHop['direction'],
    relations: relation === '*' ? null : relation.slice(1, -1).split('/'),
    least: Number(least),
    most: Number(most),
    target: target === 'NO-TARGET' ? null : nodeOf(target),
  };
}

function nodeOf(notation: string): PlanNode {
  if (notation.startsWith('id(')) return { types: [], text: null, id: notation.slice(3, -1) };
  const texts = new RegExp(quoted, 's');
  if (notation.startsWith('sem(')) return { types: [], text: plain(texts.exec(notation)?.[0] ?? ''), id: null };
  const [, list = '', text] = new RegExp(String.raw`^types\((.*?)\)(?:~(${quoted}))?$`, 's').exec(notation) ?? [];
  const types = [...list.matchAll(new RegExp(type, 'gs'))].map(([one]) => plain(one));
  return { types, text: text === undefined ? null : plain(text), id: null };
}

function plain(text: string): string {
  return text.startsWith('"') ? text.slice(1, -1).replaceAll(/\\(.)/gs, '$1') : text;
}
