import { type Flow, routesOf, stepAfter } from './flow.ts';
import { cycles } from './flow-check.ts';
import type { StepEdge } from './flow-step-check.ts';

/** The step that begins a workflow, and its steps. */
export interface Workflow {
  entry: unknown;
  flow: Flow;
}

/**
 * The ones of some workflows of which a step leads back, from the entry of `first` on, by workflows that name each other too; a
 * `recurse` may.
 */
export function leadingBack(workflows: ReadonlyMap<string, Workflow>, first: string): string[] {
  const placed = new Map<string, { of: string; step: string }>();
  const nameOf = (of: string, step: unknown): string | undefined => {
    if (typeof step !== 'string' || !workflows.get(of)?.flow.has(step)) return undefined;
    const name = JSON.stringify([of, step]);
    placed.set(name, { of, step });
    return name;
  };
  nameOf(first, workflows.get(first)?.entry);
  const edges = new Map<string, StepEdge[]>();
  // A map that grows while it is walked.
  for (const [name, { of, step }] of placed) edges.set(name, onward(of, step));
  return [...new Set(cycles(edges).map(({ path }) => String(path[0])))];

  function onward(of: string, name: string): StepEdge[] {
    const step = workflows.get(of)?.flow.get(name);
    if (!step) return [];
    const { klados, then } = step;
    const steps = [stepAfter(then), ...routesOf(then).map(({ target }) => target)].map((next) => nameOf(of, next));
    const within = nameOf(klados.id, workflows.get(klados.id)?.entry);
    return [
      ...steps.flatMap((target) => (target ? [{ target, path: [of], counted: 'recurse' in then }] : [])),
      ...(within ? [{ target: within, path: [of], counted: false }] : []),
    ];
  }
}
