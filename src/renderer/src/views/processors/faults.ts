import { Failure } from '../../api/failure.ts';

/** What the node said of a body, by the name of the member at its top. */
export function faultsOf(error: unknown): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  if (!(error instanceof Failure)) return found;
  for (const { path, message } of error.issues) {
    const [first = '', ...rest] = path;
    const place = rest.length > 0 ? `${rest.join('.')}: ` : '';
    if (!found.has(String(first))) found.set(String(first), `${place}${message}`);
  }
  return found;
}
