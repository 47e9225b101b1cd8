import { FailureError, RefusedError } from './failure.ts';
import { progressDisplay } from './progress.ts';
import type { Shell } from './shell.ts';

/** A line of an answer of lines: progress, or what became of it, or an error. */
export interface AnswerLine<P, D> {
  progress?: P;
  done?: D;
  error?: string;
}

/**
 * Shows the progress of an answer and returns what became of it. `left` says what stands where the command is told to stop, given
 * whether there was progress. @throws FailureError
 */
export async function lastOf<P, D>(
  shell: Pick<Shell, 'terminal' | 'err' | 'stopped'>,
  title: string,
  lines: AsyncIterable<AnswerLine<P, D>>,
  show: (progress: P) => { done: number; total: number | null; text: string },
  left?: (begun: boolean) => string,
): Promise<D> {
  const display = progressDisplay(shell, title);
  let begun = false;
  let last: D | undefined;
  try {
    for await (const line of lines) {
      refuseError(line);
      last = line.done ?? last;
      if (line.progress === undefined) continue;
      begun = true;
      const { done, total, text } = show(line.progress);
      display.show(done, total, text);
    }
    if (last !== undefined) return last;
    throw new FailureError('The node did not say what became of it.');
  } catch (error) {
    if (last !== undefined && shell.stopped.aborted) return last;
    if (left && shell.stopped.aborted) throw new FailureError(`Stopped. ${left(begun)}`);
    throw error;
  } finally {
    display.end();
  }
}

/** @throws FailureError where a line is an error, in its words */
export function refuseError(line: { error?: string }): void {
  if (line.error !== undefined) throw new FailureError(new RefusedError(0, line).message);
}

/** The progress of a task with steps (resources/node/upkeep/wire.ts). */
export interface StepProgress {
  step: string;
  done: number;
  total?: number | undefined;
}

export function stepText({ step, done, total }: StepProgress): { done: number; total: number | null; text: string } {
  return { done, total: total ?? null, text: `${done.toLocaleString('en')} ${step}` };
}
