import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { StorageError, ValidationError } from '../../errors.ts';
import { soundPlace } from '../backup/backup-files.ts';
import { type BackedUpFile, isContent, readManifest } from '../backup/backup-manifest.ts';
import type { Progress } from '../progress.ts';
import { storageError } from '../storage-error.ts';
import { checkNodeVersions } from './verify-databases.ts';
import { Findings, type VerifyReport } from './verify-findings.ts';

/**
 * Whether a restore would find every file of a backup as it is on its list. What is in the networks verifyStore tells, as it
 * does of content that is there, whose name says what bytes it has.
 */
export async function verifyBackup(
  { folder }: { folder: string },
  report: (progress: Progress) => void,
): Promise<VerifyReport> {
  const findings = new Findings();
  const files = await filesOf(folder, findings);
  for (const [i, file] of files.entries()) {
    const wrong = await problemOf(folder, file);
    if (wrong !== null) findings.problem('backup', wrong);
    report({ step: 'files of the backup', done: i + 1, total: files.length });
  }
  checkNodeVersions(folder, findings);
  return findings.report();
}

async function filesOf(folder: string, findings: Findings): Promise<BackedUpFile[]> {
  try {
    return (await readManifest(folder)).manifest.files;
  } catch (error) {
    if (!(error instanceof ValidationError)) throw error;
    for (const { message } of error.issues) findings.problem('backup', `${message}.`);
    return [];
  }
}

async function problemOf(folder: string, file: BackedUpFile): Promise<string | null> {
  if (isContent(file.path) && existsSync(join(folder, file.path))) return null;
  try {
    const place = await soundPlace(folder, file);
    if (place === file.path) return null;
    return `${file.path} is damaged, and an earlier verification has moved it to ${place}; a restore finds it there.`;
  } catch (error) {
    return error instanceof StorageError ? error.reason : storageError(error).reason;
  }
}
