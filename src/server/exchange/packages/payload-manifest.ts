import { payloadManifest } from './bag.ts';
import { DamagedPackageError } from './damaged-package-error.ts';

/** A path in a ZIP has at most 65,535 bytes, and each line a digest. */
const maxLine = 70_000;

/** The SHA-256 in hexadecimal that a bag's manifest names, by path in the bag; read line by line. @throws DamagedPackageError */
export async function manifestDigests(
  chunks: AsyncIterable<Uint8Array>,
  maxFiles: number,
): Promise<Map<string, string>> {
  const digests = new Map<string, string>();
  for await (const line of linesOf(chunks)) {
    const [, digest, path] = /^([0-9a-fA-F]{64})\s+\*?(data\/.+)$/.exec(line) ?? [];
    if (digest === undefined || path === undefined) throw noLine();
    digests.set(path.replace(/%(0[AD]|25)/gi, decodeURIComponent), digest.toLowerCase());
    if (digests.size > maxFiles)
      throw new DamagedPackageError(`${payloadManifest} names more than ${maxFiles} files, as many as are read.`);
  }
  return digests;
}

/** The lines that have something in them. */
async function* linesOf(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of chunks) {
    const lines = `${rest}${decoder.decode(chunk, { stream: true })}`.split(/\r\n|\n|\r/);
    rest = lines.pop() ?? '';
    if (rest.length > maxLine) throw noLine();
    for (const line of lines) if (line !== '') yield line;
  }
  rest += decoder.decode();
  if (rest !== '') yield rest;
}

function noLine(): DamagedPackageError {
  return new DamagedPackageError(`${payloadManifest} has a line that is none.`);
}
