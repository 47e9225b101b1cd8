/** What the node finds in flows; each has a text `flow.code.`. */
const findingCodes = [
  'MISSING_ENTRY',
  'EMPTY_FLOW',
  'ENTRY_NOT_IN_FLOW',
  'MISSING_KLADOS',
  'MISSING_THEN',
  'INVALID_HANDOFF',
  'INVALID_TARGET',
  'INVALID_MAX_DEPTH',
  'INVALID_ROUTE_RULE',
  'INVALID_WHERE_CONDITION',
  'CYCLE_DETECTED',
  'UNTERMINATED_PATH',
  'UNREACHABLE_KLADOS',
  'INVALID_INPUT',
  'FLOW_TOO_LARGE',
  'RESERVED_STEP_NAME',
] as const;
export type FindingCode = (typeof findingCodes)[number];

/** One thing that the node said of a flow. */
export interface Finding {
  step: string | null;
  /** Where in the step, with dots. */
  place: string;
  code: FindingCode | null;
  /** What the node says of it, in English. */
  message: string;
  serious: boolean;
}

/** What the node refused, at the steps that it is about. */
export function findingsOf(issues: readonly { path: (string | number)[]; message: string }[]): Finding[] {
  return issues.map(({ path, message }) => {
    const [top, step, ...rest] = path;
    const inStep = top === 'flow' && step !== undefined;
    const place = (inStep ? rest : path).join('.');
    return { step: inStep ? String(step) : null, place, ...said(message), serious: true };
  });
}

/** What the node took but wondered about. */
export function warningsOf(warnings: readonly { code: string; step: string; message: string }[]): Finding[] {
  return warnings.map(({ code, step, message }) => ({
    ...{ step, place: '', message, serious: false },
    code: findingCodes.find((known) => known === code) ?? null,
  }));
}

/** The code before a message, if it has one. */
function said(message: string): Pick<Finding, 'code' | 'message'> {
  const code = findingCodes.find((known) => message.startsWith(`${known}: `)) ?? null;
  return { code, message: code === null ? message : message.slice(code.length + 2) };
}
