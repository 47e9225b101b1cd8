import { Failure } from '../../../api/failure.ts';
import { refuseUnreadable } from '../../entity/files/refuse-unsendable.ts';

/** The mapping that a file holds. @throws Failure of kind `unreadable`, or `no-mapping` where it is no JSON object */
export async function mappingIn(file: File): Promise<Record<string, unknown>> {
  await refuseUnreadable(file);
  const value = parsed(await file.text());
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new Failure('no-mapping', 'It is no JSON object.');
  return value as Record<string, unknown>;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Failure('no-mapping', error instanceof Error ? error.message : String(error));
  }
}
