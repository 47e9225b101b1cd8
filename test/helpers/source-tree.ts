import { readdirSync, readFileSync } from 'node:fs';
import { posix, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

export interface Import {
  specifier: string;
  /** The imported file below src, for a relative specifier. */
  target: string | null;
  typeOnly: boolean;
}

export interface SourceFile {
  /** Below src, with slashes: `server/model/next-version.ts`. */
  path: string;
  /** The text without its comments. */
  code: string;
  lines: number;
  imports: Import[];
}

/** The TypeScript files below `folder`, without the generated ones. */
export function readTree(folder: URL): SourceFile[] {
  const root = fileURLToPath(folder);
  return readdirSync(root, { recursive: true, encoding: 'utf8' })
    .map((path) => path.split(sep).join('/'))
    .filter((path) => /\.tsx?$/.test(path) && !/(^|\/)generated\/|\/schema\.d\.ts$/.test(path))
    .sort()
    .map((path) => sourceFile(path, readFileSync(new URL(path, folder), 'utf8')));
}

export function sourceFile(path: string, text: string): SourceFile {
  const code = withoutComments(text);
  return { path, code, lines: text.trimEnd().split('\n').length, imports: importsOf(path, code) };
}

/** Strings are matched first, so that `//` inside one stays. */
function withoutComments(text: string): string {
  const token =
    /('(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\])*`|\/(?![*/\s])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n[])+\/[dgimsuvy]*(?=\s*[.,;)\]]))|\/\*[\s\S]*?\*\/|\/\/[^\n]*/g;
  return text.replace(token, (_all, literal: string | undefined) => literal ?? '');
}

function importsOf(path: string, code: string): Import[] {
  const statement =
    /\b(?:import|export)\s+(type\s+)?((?:\*(?:\s+as\s+\w+)?|[\w$]+)?\s*,?\s*(?:\*\s+as\s+\w+|\{[^}]*\})?)\s*from\s*['"]([^'"]+)['"]|\bimport\s*\(?\s*['"]([^'"]+)['"]/g;
  return [...code.matchAll(statement)].map(([, typeKeyword, names = '', from, bare]) => {
    const specifier = from ?? bare ?? '';
    return {
      specifier,
      target: specifier.startsWith('.') ? posix.join(posix.dirname(path), specifier.replace(/\?.*$/, '')) : null,
      typeOnly: Boolean(typeKeyword) || onlyTypes(names),
    };
  });
}

/** `{ type A, type B }` names types only. */
function onlyTypes(names: string): boolean {
  const inside = /^\s*\{([^}]*)\}\s*$/.exec(names)?.[1];
  if (inside === undefined) return false;
  const parts = inside
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
  return parts.length > 0 && parts.every((part) => part.startsWith('type '));
}

export type Graph = Map<string, Set<string>>;

/** Which folder imports which; `folderOf` answers null for files that are left out. */
export function folderGraph(files: SourceFile[], folderOf: (path: string) => string | null): Graph {
  const graph: Graph = new Map();
  for (const file of files) {
    const from = folderOf(file.path);
    for (const { target } of file.imports) {
      const to = target === null ? null : folderOf(target);
      if (from === null || to === null || from === to) continue;
      graph.set(from, (graph.get(from) ?? new Set()).add(to));
    }
  }
  return graph;
}

/** The groups of folders that reach each other, each sorted. */
export function cycles(graph: Graph): string[][] {
  const reach = new Map([...graph.keys()].map((from) => [from, reachable(graph, from)]));
  const groups = [...reach]
    .filter(([from, to]) => to.has(from))
    .map(([from, to]) => [...to].filter((other) => reach.get(other)?.has(from)).sort());
  return [...new Map(groups.map((group) => [group.join(), group])).values()];
}

function reachable(graph: Graph, from: string): Set<string> {
  const seen = new Set<string>();
  const next = [...(graph.get(from) ?? [])];
  for (let folder = next.pop(); folder !== undefined; folder = next.pop()) {
    if (seen.has(folder)) continue;
    seen.add(folder);
    next.push(...(graph.get(folder) ?? []));
  }
  return seen;
}

/** The smallest value that `share` of the values do not exceed. */
export function percentile(values: number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? 0;
}

export function median(values: number[]): number {
  return percentile(values, 0.5);
}
