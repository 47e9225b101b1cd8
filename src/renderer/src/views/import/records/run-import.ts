import { endOf } from '../../../api/answer-lines.ts';
import { answered, api } from '../../../api/client.ts';
import { Failure } from '../../../api/failure.ts';
import { nameEnd } from '../../../components/name-end.ts';
import { refuseUnreadable } from '../../entity/files/refuse-unsendable.ts';
import { type Target, targetText } from '../target.tsx';
import { type ImportReport, keepReport } from './reports.ts';
import type { TextEncoding } from './sample.ts';

export interface ImportProgress {
  file: string;
  /** Read of all files, and what they have together. */
  bytes: number;
  total: number;
  records: number;
  created: number;
  updated: number;
  refused: number;
  /** Records a second since the beginning. */
  rate: number;
}

const pollMs = 400;

/** An import that the node has begun, and the collection into which it goes. */
export interface Begun {
  id: string;
  collection: string;
}

interface Order {
  target: Target;
  mapping: Record<string, unknown>;
  files: readonly File[];
  /** In what each of them is written. */
  encodings: readonly TextEncoding[];
  signal: AbortSignal;
  onStart(begun: Begun): void;
  onProgress(progress: ImportProgress): void;
}

/**
 * Imports files, one after the other. While a file is being sent, a browser tells nothing of the answer: so the node is
 * asked how far it is. Nothing begins with a file that cannot be read, nor where a new collection is to be made and one of its name
 * is there. What it tells is kept (reports.ts). @returns its id
 * @throws Failure; what had come by then stays, its import can be undone, and counts as broken off
 */
export async function runImport({
  target,
  mapping,
  files,
  encodings,
  signal,
  onStart,
  onProgress,
}: Order): Promise<string> {
  for (const file of files) await refuseUnreadable(file);
  const body = { collection: targetText(target), mapping };
  const { id, collection } = await answered(api.POST('/node/imports', { body, signal }));
  if (target.collection === '' && !collection.created) {
    await close(id);
    throw new Failure('name-taken', `there is a collection ${collection.label}`);
  }
  onStart({ id, collection: collection.id });
  const began = performance.now();
  const total = files.reduce((sum, { size }) => sum + size, 0);
  let before = 0;
  const tell = async () => {
    const now = await look(id, signal);
    const seconds = Math.max(0.001, (performance.now() - began) / 1000);
    const { records, created, updated, refused, reading } = now;
    const bytes = Math.min(total, before + (reading?.bytes ?? 0));
    onProgress({
      file: reading?.name ?? '',
      bytes,
      total,
      records,
      created,
      updated,
      refused,
      rate: records / seconds,
    });
  };
  // Progress that cannot be asked for is left out; what is wrong shows in the answer itself.
  const timer = setInterval(() => void tell().catch(() => undefined), pollMs);
  try {
    for (const [at, file] of files.entries()) {
      // It may have changed while those before it were read.
      await refuseUnreadable(file);
      const report = await endOf<unknown, ImportReport>(
        api.PUT('/node/imports/{id}/files/{name}', {
          params: { path: { id, name: nameEnd(file.name, 200) }, query: { encoding: encodings[at] } },
          body: file as never,
          bodySerializer: (body: unknown) => body as BodyInit,
          headers: { 'Content-Type': 'application/octet-stream' },
          parseAs: 'stream',
          signal,
        } as never),
      );
      before += file.size;
      keepReport(report, at === files.length - 1);
    }
  } catch (error) {
    await giveUp(id);
    throw error;
  } finally {
    clearInterval(timer);
  }
  // All has come, also where the node cannot be told so: there is nothing left to stop.
  await api.DELETE('/node/imports/{id}', { params: { path: { id } }, signal: soon() }).catch(() => undefined);
  return id;
}

/** What it has done so far. */
async function look(id: string, signal: AbortSignal): Promise<ImportReport> {
  const now = await answered(api.GET('/node/imports/{id}', { params: { path: { id } }, signal }));
  keepReport(now);
  return now;
}

/** Says that no more comes. A node that cannot be told finds out by itself. */
async function giveUp(id: string): Promise<void> {
  // It is forgotten then.
  await look(id, soon()).catch(() => undefined);
  await close(id);
}

async function close(id: string): Promise<void> {
  const params = { path: { id }, query: { ended: 'false' as const } };
  await api.DELETE('/node/imports/{id}', { params, signal: soon() }).catch(() => undefined);
}

/** Gives a request up whose answer is not waited for any longer. */
function soon(): AbortSignal {
  return AbortSignal.timeout(5000);
}
