import { isUtf8 } from 'node:buffer';
import { readFile } from 'node:fs/promises';
import { UsageError } from '../../config.ts';

/**
 * The text of a file that people write, without the byte order mark that editors put before it. @throws UsageError where it is in
 * another encoding, of which signs would be lost; what readFile throws
 */
export async function textIn(file: string): Promise<string> {
  const bytes = await readFile(file);
  if (!isUtf8(bytes)) throw new UsageError(`${file} is not UTF-8 text: save it as that.`);
  return bytes.toString().replace(/^\uFEFF/, '');
}
