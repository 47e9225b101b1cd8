import type { OutboundAnswer } from '../../jobs/outbound.ts';
import { jsonOf } from '../../model/from-json.ts';

/** processors.md 1.3. */
export type VerificationFault =
  | 'no_token'
  | 'token_expired'
  | 'fetch_failed'
  | 'invalid_response'
  | 'token_mismatch'
  | 'agent_id_mismatch'
  | 'klados_id_mismatch';

/** What is wrong with what an endpoint serves, in the order of the codes; null where nothing is. Other members may be there. */
export function served(
  { status, body }: Pick<OutboundAnswer, 'status' | 'body'>,
  expected: { token: string; type: 'agent' | 'klados'; id: string },
): { error: VerificationFault; message: string } | null {
  if (status < 200 || status > 299) return { error: 'fetch_failed', message: `answered ${status}.` };
  const name = `${expected.type}_id` as const;
  const answer = parsed(body);
  const token = answer?.verification_token;
  const id = answer?.[name];
  if (typeof token !== 'string' || typeof id !== 'string')
    return { error: 'invalid_response', message: `must answer JSON with verification_token and ${name}.` };
  if (token !== expected.token)
    return { error: 'token_mismatch', message: 'answered another token: it must be the one asked for last.' };
  if (id !== expected.id)
    return { error: `${name}_mismatch`, message: `answered another ${name}: it must be ${expected.id}.` };
  return null;
}

function parsed(body: Buffer): { [name: string]: unknown } | null {
  try {
    const value: unknown = jsonOf(body);
    return typeof value === 'object' && value !== null ? (value as { [name: string]: unknown }) : null;
  } catch {
    return null;
  }
}
