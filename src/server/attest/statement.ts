import type { z } from 'zod';

/** One thing that a file says, in words, and whether it holds. */
export interface Statement {
  holds: boolean;
  text: string;
}

/** What was looked at, and whether all of it holds. */
export interface Checked {
  ok: boolean;
  statements: Statement[];
}

export function allHold(statements: Statement[]): Checked {
  return { ok: statements.every(({ holds }) => holds), statements };
}

/** What keeps a file from being of a format. */
export function shapeStatement(format: string, { issues: [issue] }: z.ZodError): Statement {
  const where = issue?.path.join('.') ?? '';
  return { holds: false, text: `It is no ${format}: ${where === '' ? '' : `${where}: `}${issue?.message ?? ''}.` };
}

export function iso(ms: number): string {
  return new Date(ms).toISOString();
}
