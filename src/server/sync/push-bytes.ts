import type { Manifest } from '../model/manifest.ts';
import { isCarried } from '../model/media-type.ts';
import type { NamedBytes } from './named-bytes.ts';
import type { PushContext } from './push-context.ts';
import type { RemoteAnswer } from './remote.ts';
import { checkMeant } from './remote-errors.ts';
import { isAbsent, isEmpty, noteThere, outgoing, sendToAddress } from './send-bytes.ts';
import { readWords } from './wire.ts';

export interface Delivery {
  named: NamedBytes;
  local: Manifest;
  /** The remote's tip. */
  expect: string;
}

/** What came of it: the bytes are there and unnamed, a version was written, or it was refused. */
export type Delivered = 'there' | { answer: RemoteAnswer } | { refused: { status: number; words: string } };

/** Whether bytes have to be there before a version names them, as far as is known before it is tried. */
export function wantsFirst({ remote, bytesFirst }: PushContext, named: NamedBytes): boolean {
  return remote.instance === null || bytesFirst.has(named.id) || isEmpty(named);
}

/**
 * Brings bytes to a remote that has the entity and does not name them yet, in the form that the remote has: to an address
 * (and complete, where the remote is no node), else under their key, else as a file's own in the earlier form.
 * @param record to be called before each request that may write a version
 * @throws UnreachableError, LostAnswerError, FailedAnswerError, DeniedError
 */
export async function deliver(
  ctx: PushContext,
  { named, local, expect }: Delivery,
  record: () => Promise<void>,
): Promise<Delivered> {
  const { client, remote, files, report } = ctx;
  const { id, cid, key, type, filename } = named;
  const sent = await sendToAddress(ctx, named);
  if (typeof sent === 'object') return { refused: sent };
  const size = (await files.size(cid)) ?? 0;
  if (sent === 'there') {
    if (key !== null && remote.instance === null) {
      await record();
      const body = { key, cid, size, content_type: type, ...(filename !== null && { filename }), expect_tip: expect };
      const answer = await client.write('POST', `/entities/${id}/content/complete`, body);
      if (!isAbsent(answer.status)) return written(client.host, answer);
    }
    await noteThere(ctx, named);
    return 'there';
  }
  const query = new URLSearchParams({ key: key ?? '', ...(filename !== null && { filename }) });
  const path = key === null ? `/files/${id}/content` : `/entities/${id}/content?${query}`;
  await record();
  const declared = local.properties.content_type;
  const bytes = outgoing(ctx, named, size);
  const own =
    key === null && typeof declared === 'string' && isCarried(declared) ? { ...bytes, type: declared } : bytes;
  const answer = await client.writeBytes('POST', path, own);
  if (answer.status < 300) report.sent.files++;
  return written(client.host, answer);
}

function written(host: string, answer: RemoteAnswer): Delivered {
  const { status, body } = answer;
  checkMeant(host, answer);
  return status < 300 || status === 409 ? { answer } : { refused: { status, words: readWords(body, status) } };
}
