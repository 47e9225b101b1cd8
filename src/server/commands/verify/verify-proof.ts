import { checkProof } from '../../attest/proof.ts';
import { FailureError } from '../parts/failure.ts';
import type { Shell } from '../parts/shell.ts';
import { readJsonFile, statementLines } from './checked-file.ts';

/** A manifest of 32 MiB in base64 and as JSON, and some. */
const maxProofBytes = 256 * 1024 * 1024;

/** `archeion verify --proof FILE`: what the file proves, in words. */
export async function verifyProof(
  shell: Shell,
  file: string,
  { json = false, key }: { json?: boolean; key?: string },
): Promise<void> {
  const { ok, statements } = checkProof(await readJsonFile(file, { what: 'proof', most: maxProofBytes }), key ?? null);
  if (json) shell.out(JSON.stringify({ ok, statements }));
  else {
    for (const line of statementLines(statements)) shell.out(line);
    if (ok && key === undefined)
      shell.out('Whose key it is the file cannot prove: compare it with /.well-known/signing-key, or give --key.');
  }
  if (!ok) throw new FailureError(`${file} proves nothing: see what is wrong above.`);
}
