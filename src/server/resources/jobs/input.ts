import type { Issue } from '../../errors.ts';
import type { InputChecks } from '../../jobs/input-check.ts';
import type { ProcessorFacts } from './processors.ts';

/** What is wrong with the input for a processor; where none is given it is an empty object. */
export async function inputIssues(
  checks: Pick<InputChecks, 'check'>,
  processor: Pick<ProcessorFacts, 'inputSchema'>,
  input: unknown,
): Promise<Issue[]> {
  const [issues = []] = await inputsIssues(checks, processor, [input ?? {}]);
  return issues.map(({ path, message }) => ({ path: ['input', ...path], message }));
}

/** The same of several, by paths within each. */
export async function inputsIssues(
  checks: Pick<InputChecks, 'check'>,
  { inputSchema }: Pick<ProcessorFacts, 'inputSchema'>,
  inputs: readonly unknown[],
): Promise<Issue[][]> {
  return inputSchema === undefined ? [] : checks.check(inputSchema, inputs);
}
