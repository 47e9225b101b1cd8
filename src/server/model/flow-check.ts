import type { IssuePath } from '../errors.ts';
import { beginningOf } from './cut-text.ts';
import { doneTarget, flowSize, maxSteps } from './flow.ts';
import { maxFound, type StepEdge, type StepFindings, stepFindings } from './flow-step-check.ts';
import type { Network } from './ids.ts';
import { isWithin } from './json-value.ts';

/** Codes of processors.md 3.7, and some for what it does not speak of. */
export type FlowCode =
  | 'MISSING_ENTRY'
  | 'EMPTY_FLOW'
  | 'ENTRY_NOT_IN_FLOW'
  | 'MISSING_KLADOS'
  | 'MISSING_THEN'
  | 'INVALID_HANDOFF'
  | 'INVALID_TARGET'
  | 'INVALID_MAX_DEPTH'
  | 'INVALID_ROUTE_RULE'
  | 'INVALID_WHERE_CONDITION'
  | 'CYCLE_DETECTED'
  | 'UNTERMINATED_PATH'
  | 'UNREACHABLE_KLADOS'
  | 'INVALID_INPUT'
  | 'FLOW_TOO_LARGE'
  | 'RESERVED_STEP_NAME';

/** One thing about a flow; `path` begins with `entry` or `flow`. */
export interface FlowFinding {
  code: FlowCode;
  path: IssuePath;
  message: string;
}

/** So many names of a cycle are written out. */
const shownNames = 40;
const maxCycles = 10;

/**
 * What is wrong with a flow and its entry (`errors`, at most 100), and what only looks so (`warnings`, likewise). Takes
 * anything, and time linear in its size. `network`: the one that what it names must be of; `own`: the id of its workflow, to whose
 * entry a step leads that names it.
 */
export function checkFlow(
  entry: unknown,
  flow: unknown,
  { network, own }: { network?: Network; own?: string } = {},
): { errors: FlowFinding[]; warnings: FlowFinding[] } {
  const errors: FlowFinding[] = [];
  const entryGiven = typeof entry === 'string' && entry !== '';
  if (!entryGiven) errors.push(found('MISSING_ENTRY', ['entry'], 'name the step that begins'));
  const steps = typeof flow === 'object' && flow !== null && !Array.isArray(flow) ? Object.entries(flow) : [];
  if (steps.length === 0)
    return { errors: [...errors, found('EMPTY_FLOW', ['flow'], 'must have at least one step')], warnings: [] };
  const tooLarge =
    steps.length > maxSteps
      ? `has ${steps.length} steps: at most ${maxSteps}`
      : isWithin(flow, flowSize)
        ? null
        : `says too much: at most ${flowSize.values} values and ${flowSize.characters} characters`;
  if (tooLarge !== null) return { errors: [...errors, found('FLOW_TOO_LARGE', ['flow'], tooLarge)], warnings: [] };
  const names = new Set(steps.map(([name]) => name));
  const isEntry = entryGiven && names.has(entry);
  if (entryGiven && !isEntry) errors.push(found('ENTRY_NOT_IN_FLOW', ['entry'], `there is no step "${cut(entry)}"`));

  const edges = new Map<string, StepEdge[]>();
  for (const [name, step] of steps) {
    const one: StepFindings = stepFindings(name, step, {
      names,
      network,
      self: isEntry && own !== undefined ? { id: own, entry } : undefined,
    });
    edges.set(name, one.edges);
    for (const finding of one.findings) if (errors.length < maxFound) errors.push(finding);
  }
  if (errors.length < maxFound) errors.push(...cycles(edges));
  return { errors, warnings: isEntry ? warningsOf(entry, edges) : [] };
}

function found(code: FlowCode, path: IssuePath, message: string): FlowFinding {
  return { code, path, message };
}

function warningsOf(entry: string, edges: ReadonlyMap<string, StepEdge[]>): FlowFinding[] {
  const reached = new Set([entry]);
  // A set that grows while it is walked.
  for (const name of reached) for (const { target } of edges.get(name) ?? []) reached.add(target);
  const warnings: FlowFinding[] = [];
  for (const name of edges.keys()) {
    if (warnings.length >= maxFound) break;
    if (name === doneTarget)
      warnings.push(
        found('RESERVED_STEP_NAME', ['flow', name], 'a route to `done` ends the item and never comes to this step'),
      );
    if (!reached.has(name))
      warnings.push(found('UNREACHABLE_KLADOS', ['flow', name], `is not reached from "${cut(entry)}"`));
  }
  return warnings;
}

/** Cycles over all edges but those of `recurse`, which are counted when they run. Each is told once, some at most. */
export function cycles(edges: ReadonlyMap<string, StepEdge[]>): FlowFinding[] {
  const finished = new Set<string>();
  const findings: FlowFinding[] = [];
  for (const start of edges.keys()) {
    if (finished.has(start)) continue;
    // A walk in depth with a stack of its own: flows may be thousands of steps deep.
    const path = [{ name: start, next: 0 }];
    const depth = new Map([[start, 0]]);
    for (let top = path.at(-1); top; top = path.at(-1)) {
      const edge = edges.get(top.name)?.[top.next++];
      if (!edge) {
        finished.add(top.name);
        depth.delete(top.name);
        path.pop();
        continue;
      }
      if (edge.counted || finished.has(edge.target)) continue;
      const at = depth.get(edge.target);
      if (at === undefined) {
        depth.set(edge.target, path.length);
        path.push({ name: edge.target, next: 0 });
      } else if (findings.length < maxCycles) {
        const names = [...path.slice(at).map(({ name }) => name), edge.target];
        findings.push(found('CYCLE_DETECTED', edge.path, shown(names)));
      }
    }
  }
  return findings;
}

/** The names of a cycle; of a long one the first and the last. */
function shown(names: string[]): string {
  const half = shownNames / 2;
  const some =
    names.length > shownNames
      ? [...names.slice(0, half), `(${names.length - shownNames} more)`, ...names.slice(-half)]
      : names;
  return some.map(cut).join(' -> ');
}

function cut(name: string): string {
  return name.length > 100 ? `${beginningOf(name, 97)}...` : name;
}
