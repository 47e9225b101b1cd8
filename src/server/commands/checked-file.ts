import { readFile, stat } from 'node:fs/promises';
import type { Checked } from '../attest/statement.ts';
import { UsageError } from '../config.ts';
import { FailureError } from './failure.ts';
import type { Shell } from './shell.ts';

/** The JSON of a file of at most so many bytes; `what` it is to be. @throws UsageError, FailureError */
export async function readJsonFile(file: string, { what, most }: { what: string; most: number }): Promise<unknown> {
  const found = await stat(file).catch(() => null);
  if (!found?.isFile()) throw new UsageError(`There is no file ${file}.`);
  if (found.size > most) throw new FailureError(`${file} is too large for a ${what}.`);
  try {
    return JSON.parse(await readFile(file, 'utf8'));
  } catch {
    throw new FailureError(`${file} is no ${what}: it is not JSON.`);
  }
}

/** Prints what of a file holds. `remark` comes after it where all does. @throws FailureError where something does not */
export function tell(
  shell: Shell,
  { ok, statements }: Checked,
  { json, remark, failure }: { json: boolean; remark: string | null; failure: string },
): void {
  if (json) shell.out(JSON.stringify({ ok, statements }));
  else {
    for (const { holds, text } of statements) shell.out(`${holds ? 'holds' : 'WRONG'}: ${text}`);
    if (ok && remark !== null) shell.out(remark);
  }
  if (!ok) throw new FailureError(failure);
}
