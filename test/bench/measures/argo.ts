import fc from 'fast-check';
import { parse } from '../../../src/server/argo/parser.ts';
import { ArgoSyntaxError } from '../../../src/server/argo/syntax-error.ts';
import { queries } from '../../argo/queries.ts';
import { seeded } from '../../helpers/seeded.ts';
import { call } from '../call.ts';
import type { Node } from '../processes.ts';
import { quantile } from '../quantile.ts';
import { atMostRow, loopRow, plainRow } from '../report.ts';

const inputs = 100_000;
const rounds = 100;

/** Reads queries, and what is none, without a node. */
export function measureArgoParser(): void {
  let slowest = 0;
  const property = fc.property(queries, (query) => {
    const first = timeOf(query);
    // What other processes take is not the parser's: a slow one is read again.
    if (first > slowest) slowest = Math.max(slowest, Math.min(first, timeOf(query), timeOf(query)));
  });
  fc.assert(property, { numRuns: inputs, seed: 1 });
  atMostRow(`Argo parser, the slowest of ${inputs.toLocaleString('en')} inputs`, slowest, 'ms', 50);
}

function timeOf(query: string): number {
  const begun = performance.now();
  try {
    parse(query);
  } catch (error) {
    if (!(error instanceof ArgoSyntaxError) || error.position > query.length) throw error;
  }
  return performance.now() - begun;
}

/** Queries of two hops with up to three relationships each, over a large collection. */
export async function measureArgo(node: Node, collection: string): Promise<void> {
  const listed = await idsOf(node, collection);
  const random = seeded(1);
  const any = (type: string) => {
    const ids = listed.get(type) ?? [];
    return ids[Math.floor(random() * ids.length)] ?? '';
  };
  const words = ['horses', 'sea', 'portrait of a woman', 'watercolour', 'london bridge', 'sheep in a landscape'];
  const word = () => words[Math.floor(random() * words.length)] ?? '';
  const kinds: Record<string, () => string> = {
    'from a work': () => `@${any('artwork')} -[*]{,3}-> type:artist -[*]{,3}-> type:movement`,
    'from a text': () => `"${word()}" type:artwork -[*]{,3}-> type:artist -[*]{,3}-> type:movement`,
    'from an artist': () => `@${any('artist')} <-[*]{,3}- type:artwork -[*]{,3}-> type:subject`,
    'either way': () => `@${any('artwork')} <-[*]{,3}-> type:artist <-[*]{,3}-> type:movement`,
    'to a text': () => `@${any('artist')} <-[*]{,3}- type:artwork ~ "${word()}" -[*]{,3}-> "${word()}"`,
  };
  const all: number[] = [];
  for (const [name, made] of Object.entries(kinds)) {
    for (let i = 0; i < 5; i++) await ask(node, made());
    const taken: number[] = [];
    for (let i = 0; i < rounds; i++) {
      const path = made();
      const begun = performance.now();
      await ask(node, path);
      taken.push(performance.now() - begun);
    }
    plainRow(`Argo, two hops {,3} ${name}, median`, quantile(taken, 0.5), 'ms');
    plainRow(`Argo, two hops {,3} ${name}, p99`, quantile(taken, 0.99), 'ms');
    all.push(...taken);
  }
  atMostRow('Argo, two hops with {,3} over the Tate graph, median', quantile(all, 0.5), 'ms', 50);
  loopRow('Argo', (await node.loopDelay()).p99);
}

async function ask(node: Node, path: string): Promise<void> {
  await call(node, 'POST /query', { path });
}

async function idsOf(node: Node, collection: string): Promise<Map<string, string[]>> {
  const ids = new Map<string, string[]>();
  for (let offset = 0; ; offset += 10_000) {
    const page = await call<{ entities: { id: string; type: string }[] }>(
      node,
      `GET /collections/${collection}/entities?limit=10000&offset=${offset}`,
    );
    for (const { id, type } of page.entities) ids.get(type)?.push(id) ?? ids.set(type, [id]);
    if (page.entities.length < 10_000) return ids;
  }
}
