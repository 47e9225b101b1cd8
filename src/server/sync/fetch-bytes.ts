import type { FileStore } from '../blocks/file-store.ts';
import type { Partial, PartialFiles } from '../blocks/partial-files.ts';
import { maxContentBytes } from '../model/content.ts';
import type { Remote } from '../store/remotes/remotes.ts';
import type { ContentTrouble } from '../store/remotes/sync-rows.ts';
import { storingLater } from '../store/storage-error.ts';
import { checkKey } from './key-check.ts';
import type { NamedBytes } from './named-bytes.ts';
import type { FileAnswer, RemoteClient } from './remote.ts';
import { FailedAnswerError } from './remote-errors.ts';
import { readWords } from './wire.ts';

/** Why bytes did not come; `evidence` is for people. */
export interface Missed {
  trouble: ContentTrouble;
  evidence: string;
}

/** The ways in which remotes give bytes: of an entity by CID or key, and a file's own in the earlier form. */
export type ContentForm = 'cid' | 'key' | 'file';

/** The way in which the remote gave bytes; `whole`: they had come before it was asked, from it or another one. */
export type Fetched = ContentForm | 'whole' | Missed;

/** Which way a remote gives bytes, once one has worked. */
export interface FormMemory {
  form: ContentForm | null;
}

export interface FetchNeeds {
  client: RemoteClient;
  remote: Pick<Remote, 'instance'>;
  files: FileStore;
  partials: PartialFiles;
  memory: FormMemory;
  /** Told of bytes as they come. */
  onBytes: (bytes: number) => void;
}

/**
 * Fetches bytes into the file store, going on with what has come before. They are kept only under the CID to which they
 * hash. @throws UnreachableError, also where the key counts no more or a page comes, StorageError; what has come stays
 */
export async function fetchBytes(needs: FetchNeeds, named: NamedBytes): Promise<Fetched> {
  const partial = await needs.partials.find(named.cid);
  if (partial.size > 0 && needs.partials.cidOf(partial) === named.cid) {
    await keep(needs, partial);
    return 'whole';
  }
  const { memory } = needs;
  let missed: Missed | null = null;
  for (const form of formsOf(named, memory.form)) {
    const found = await fetchBy(needs, partial, { path: pathOf(named, form), type: named.type });
    if (found === 'kept') {
      memory.form = form;
      return form;
    }
    // Another form's 404 says less than what was found out before.
    missed = missed === null || missed.trouble === 'missing' ? found : missed;
    // What one form says of a file the others say, too, but that a key may have come to name something else.
    if (found.trouble === 'forbidden' || (form === memory.form && found.trouble !== 'mismatch')) break;
  }
  return missed ?? { trouble: 'missing', evidence: 'There is no way to ask for it' };
}

/** The one that has worked before first. */
function formsOf({ key }: NamedBytes, known: ContentForm | null): ContentForm[] {
  const fitting: ContentForm[] = key === null ? ['cid', 'file'] : ['cid', 'key'];
  return fitting.sort((a, b) => Number(b === known) - Number(a === known));
}

function pathOf({ id, cid, key }: NamedBytes, form: ContentForm): string {
  if (form === 'file') return `/files/${id}/content`;
  return `/entities/${id}/content?${new URLSearchParams(form === 'key' ? { key: key ?? '' } : { cid })}`;
}

async function fetchBy(
  needs: FetchNeeds,
  partial: Partial,
  { path, type }: { path: string; type: string },
): Promise<'kept' | Missed> {
  for (;;) {
    const resumed = partial.size > 0;
    const answer = await needs.client.fetchFile(
      path,
      () => rangeOf(partial),
      (file) => {
        if (isOfProxy(needs, type, file))
          throw new FailedAnswerError(
            `${needs.client.host} answered with a page in place of a file, as a proxy does, or a network that wants one to sign in`,
          );
        return take(needs, partial, file);
      },
    );
    if (!('taken' in answer)) {
      // What has come is no part of what is there, or more than all of it.
      if (answer.status === 416 && resumed) {
        await needs.partials.restart(partial, null);
        continue;
      }
      checkKey(needs.client, answer, 'gives no bytes');
      const evidence = readWords(answer.body, answer.status);
      return { trouble: answer.status === 401 || answer.status === 403 ? 'forbidden' : 'missing', evidence };
    }
    const came = needs.partials.cidOf(partial);
    if (came === partial.cid) return keep(needs, partial);
    const { size } = partial;
    await needs.partials.restart(partial, null);
    // What was there before may have been something else.
    if (resumed && answer.taken === 'continued') continue;
    const evidence = `asked for ${partial.cid}, got ${size} bytes of ${came}`;
    return { trouble: 'mismatch', evidence: size > maxContentBytes ? `${evidence}, or more` : evidence };
  }
}

const html = /^text\/html\b/i;

/** Whether what comes is of what stands before a node: a node names the bytes that it gives, and gives none as another type than theirs. */
function isOfProxy({ remote }: FetchNeeds, type: string, { etag, contentType }: FileAnswer): boolean {
  return remote.instance !== null && etag === null && html.test(contentType ?? '') && !html.test(type);
}

function rangeOf({ size, mark }: Partial): Record<string, string> {
  if (size === 0) return {};
  return { range: `bytes=${size}-`, ...(mark !== null && { 'if-range': mark }) };
}

/** Takes what comes as what follows, or as the whole where the remote gives that. */
async function take(
  { partials, onBytes }: FetchNeeds,
  partial: Partial,
  { status, etag, contentRange, bytes }: FileAnswer,
): Promise<'continued' | 'whole'> {
  const continued = status === 206;
  if (continued && startOf(contentRange) !== partial.size) {
    await partials.restart(partial, null);
    throw new Error('it gives another range than it was asked for');
  }
  const mark = etag?.startsWith('"') ? etag : null;
  if (!continued) await storingLater(() => partials.restart(partial, mark));
  let broken: unknown;
  const counted = async function* () {
    try {
      for await (const chunk of bytes) {
        onBytes(chunk.length);
        yield chunk;
        if (partial.size > maxContentBytes) return;
      }
    } catch (error) {
      // The connection's, which is no error of the disk.
      broken = error;
    }
  };
  await storingLater(() => partials.add(partial, counted()));
  if (broken !== undefined) throw broken;
  return continued ? 'continued' : 'whole';
}

function startOf(contentRange: string | null): number | null {
  const [, start] = /^bytes (\d{1,15})-\d{1,15}\/(?:\d{1,15}|\*)$/.exec(contentRange ?? '') ?? [];
  return start === undefined ? null : Number(start);
}

async function keep({ files, partials }: FetchNeeds, partial: Partial): Promise<'kept'> {
  await storingLater(() => files.adopt(partials.path(partial.cid), partial.cid));
  await partials.drop(partial);
  return 'kept';
}
