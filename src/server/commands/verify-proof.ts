import { checkProof } from '../attest/proof.ts';
import { readJsonFile, tell } from './checked-file.ts';
import type { Shell } from './shell.ts';

/** A manifest of 32 MiB in base64 and as JSON, and some. */
const maxProofBytes = 256 * 1024 * 1024;

/** `archeion verify --proof FILE`: what the file proves, in words. */
export async function verifyProof(
  shell: Shell,
  file: string,
  { json = false, key }: { json?: boolean; key?: string },
): Promise<void> {
  const checked = checkProof(await readJsonFile(file, { what: 'proof', most: maxProofBytes }), key ?? null);
  const whose = 'Whose key it is the file cannot prove: compare it with /.well-known/signing-key, or give --key.';
  tell(shell, checked, {
    json,
    remark: key === undefined ? whose : null,
    failure: `${file} proves nothing: see what is wrong above.`,
  });
}
