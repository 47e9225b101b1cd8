import { readFile, stat } from 'node:fs/promises';
import { checkProof } from '../attest/proof.ts';
import { UsageError } from '../config.ts';
import { FailureError } from './failure.ts';
import type { Shell } from './shell.ts';

/** A manifest of 32 MiB in base64 and as JSON, and some. */
const maxProofBytes = 256 * 1024 * 1024;

/** `archeion verify --proof FILE`: what the file proves, in words. */
export async function verifyProof(
  shell: Shell,
  file: string,
  { json = false, key }: { json?: boolean; key?: string },
): Promise<void> {
  const { ok, statements } = checkProof(await readJson(file), key ?? null);
  if (json) shell.out(JSON.stringify({ ok, statements }));
  else {
    for (const { holds, text } of statements) shell.out(`${holds ? 'holds' : 'WRONG'}: ${text}`);
    if (ok && key === undefined)
      shell.out('Whose key it is the file cannot prove: compare it with /.well-known/signing-key, or give --key.');
  }
  if (!ok) throw new FailureError(`${file} proves nothing: see what is wrong above.`);
}

async function readJson(file: string): Promise<unknown> {
  const found = await stat(file).catch(() => null);
  if (!found?.isFile()) throw new UsageError(`There is no file ${file}.`);
  if (found.size > maxProofBytes) throw new FailureError(`${file} is too large for a proof.`);
  try {
    return JSON.parse(await readFile(file, 'utf8'));
  } catch {
    throw new FailureError(`${file} is no proof: it is not JSON.`);
  }
}
