import { statSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { type BrowserWindow, dialog } from 'electron';
import { type ImportReport, type NodeSession, sendArchive } from './node-client.ts';

/** The archives among a command line's arguments, as whole paths. Other files and options are passed over. */
export function archivesIn(args: readonly string[], folder: string): string[] {
  return args.filter((arg) => !arg.startsWith('-') && /\.car$/i.test(arg)).map((arg) => resolve(folder, arg));
}

/** Asks whether an archive is to be imported, imports it, and says what became of it. */
export async function importArchive(window: BrowserWindow, session: NodeSession, path: string): Promise<void> {
  const name = basename(path);
  const say = async (type: 'info' | 'error', message: string, detail: string) => {
    if (!window.isDestroyed()) await dialog.showMessageBox(window, { type, message, detail });
  };
  if (!statSync(path, { throwIfNoEntry: false })?.isFile())
    return say('error', `“${name}” cannot be opened`, `There is no file ${path}.`);
  const { response } = await dialog.showMessageBox(window, {
    type: 'question',
    message: `Import the archive “${name}”?`,
    detail:
      'It is verified whole before anything is written. What is here already moves on only where the archive goes on from it; what both changed is listed as a conflict.',
    buttons: ['Import', 'Cancel'],
    defaultId: 0,
    cancelId: 1,
  });
  if (response !== 0) return;
  const progress = (share: number) => {
    if (!window.isDestroyed()) window.setProgressBar(share);
  };
  // More than the whole: under way, nobody knows how far.
  progress(2);
  try {
    const report = await sendArchive(session, path, progress);
    await say('info', `“${name}” is imported`, inWords(report));
  } catch (error) {
    await say('error', `“${name}” was not imported`, error instanceof Error ? error.message : String(error));
  } finally {
    progress(-1);
  }
}

function inWords({ entities, created, advanced, unchanged, forks, remarks }: ImportReport): string {
  const number = (n: number) => n.toLocaleString('en');
  const counts = `${number(created)} new, ${number(advanced)} moved on, ${number(unchanged)} as they were, ${number(forks)} in conflict`;
  return [`${number(entities)} entities: ${counts}.`, ...remarks].join('\n');
}
