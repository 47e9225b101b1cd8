import { Failure } from '../../../api/failure.ts';
import { refuseUnreadable } from '../../entity/files/refuse-unsendable.ts';
import { valueFault } from '../../entity/model/json-fault.ts';

/**
 * The mapping that a file holds. @throws Failure of kind `unreadable`, or `no-mapping` where it is no JSON object, or something of
 * it would be lost
 */
export async function mappingIn(file: File): Promise<Record<string, unknown>> {
  await refuseUnreadable(file);
  const value = parsed(await file.arrayBuffer());
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new Failure('no-mapping', 'It is no JSON object.');
  return value as Record<string, unknown>;
}

function parsed(bytes: ArrayBuffer): unknown {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    const value: unknown = JSON.parse(text);
    const fault = valueFault(text);
    if (fault?.reason === 'twice')
      throw new SyntaxError(`"${fault.what}" is there twice, of which one alone could be kept.`);
    if (fault?.reason === 'number') throw new SyntaxError(`${fault.what} cannot be kept exactly as a number.`);
    return value;
  } catch (error) {
    throw new Failure('no-mapping', error instanceof Error ? error.message : String(error));
  }
}
