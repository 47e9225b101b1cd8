import { Failure } from '../../../api/failure.ts';
import type { Texts } from '../../../messages/translate.ts';
import { faultText } from '../../entity/fault-text.ts';
import { refuseUnreadable } from '../../entity/files/refuse-unsendable.ts';
import { jsonFault } from '../../entity/model/json-fault.ts';

/**
 * The mapping that a file holds. @throws Failure of kind `unreadable`, or `no-mapping` where it is no JSON object, or something of
 * it would be lost
 */
export async function mappingIn(file: File, t: Texts['t']): Promise<Record<string, unknown>> {
  await refuseUnreadable(file);
  const text = textOf(await file.arrayBuffer());
  if (text === null) throw new Failure('no-mapping', t('import.mappingNotUtf8'));
  const fault = jsonFault(text);
  if (fault)
    throw new Failure('no-mapping', fault.reason === 'object' ? t('import.mappingNoObject') : faultText(t, fault));
  return JSON.parse(text) as Record<string, unknown>;
}

/** Null where the bytes are no UTF-8. */
function textOf(bytes: ArrayBuffer): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return null;
  }
}
