import { statSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { type BrowserWindow, dialog } from 'electron';
import { box } from './messages.ts';
import { type NodeSession, sendArchive } from './node-client.ts';

/** The archives among a command line's arguments, as whole paths. Other files and options are passed over. */
export function archivesIn(args: readonly string[], folder: string): string[] {
  return args.filter((arg) => !arg.startsWith('-') && /\.car$/i.test(arg)).map((arg) => resolve(folder, arg));
}

/** Asks whether an archive is to be imported, imports it, and says what became of it. */
export async function importArchive(window: BrowserWindow, session: NodeSession, path: string): Promise<void> {
  const name = basename(path);
  const say = async (...words: Parameters<typeof box>) => {
    if (!window.isDestroyed()) await dialog.showMessageBox(window, box(...words));
  };
  const progress = (share: number) => window.isDestroyed() || window.setProgressBar(share);
  try {
    if (!statSync(path, { throwIfNoEntry: false })?.isFile()) return await say('error', 'noFile', { name, path });
    const asked = box('question', 'importAsked', { name }, ['import', 'cancel'], 1);
    if ((await dialog.showMessageBox(window, asked)).response !== 0) return;
    // More than the whole: under way, nobody knows how far.
    progress(2);
    const report = await sendArchive(session, path, progress);
    if (!report) return await say('error', 'importCut', { name });
    const { remarks, ...counts } = report;
    await say('info', 'imported', { name, ...counts, remarks: remarks.join('\n') });
  } catch (error) {
    await say('error', 'notImported', { name, words: error instanceof Error ? error.message : String(error) });
  } finally {
    progress(-1);
  }
}
