import { readFile, stat } from 'node:fs/promises';
import type { Statement } from '../../attest/statement.ts';
import { UsageError } from '../../config.ts';
import { fromJson } from '../../model/from-json.ts';
import { FailureError } from '../parts/failure.ts';

/** The JSON of a file of at most so many bytes; `what` it is to be. @throws UsageError, FailureError */
export async function readJsonFile(file: string, { what, most }: { what: string; most: number }): Promise<unknown> {
  const found = await stat(file).catch(() => null);
  if (!found?.isFile()) throw new UsageError(`There is no file ${file}.`);
  if (found.size > most) throw new FailureError(`${file} is too large for a ${what}.`);
  try {
    // Editors put a byte order mark before it.
    return fromJson((await readFile(file, 'utf8')).replace(/^\uFEFF/, ''));
  } catch {
    throw new FailureError(`${file} is no ${what}: it is not JSON.`);
  }
}

/** A line for each thing that a file says. */
export function statementLines(statements: readonly Statement[]): string[] {
  return statements.map(({ holds, text }) => `${holds ? 'holds' : 'WRONG'}: ${text}`);
}
