import { checkKeptHead, type LogToday, readHead } from '../attest/kept-head.ts';
import type { Checked } from '../attest/statement.ts';
import { readJsonFile, tell } from './checked-file.ts';
import { openClient } from './client.ts';
import type { GlobalOptions, Shell } from './shell.ts';

const maxHeadBytes = 64 * 1024;

/** `archeion verify --head FILE`: whether the node's log still begins with what it held when that head was kept. */
export async function verifyHead(
  shell: Shell,
  file: string,
  options: GlobalOptions & { json?: boolean; key?: string },
): Promise<void> {
  const { json = false, key } = options;
  const read = readHead(await readJsonFile(file, { what: 'signed head', most: maxHeadBytes }));
  let checked: Checked;
  if ('kept' in read) {
    const { kept } = read;
    checked = checkKeptHead(kept, await logToday(shell, options, kept.size), key ?? null);
  } else checked = read;
  tell(shell, checked, {
    json,
    remark: 'Nothing of what the log held then was removed or changed.',
    failure: `The log does not go on from ${file}: see what is wrong above.`,
  });
}

async function logToday(shell: Shell, options: GlobalOptions, size: number): Promise<LogToday> {
  await using client = await openClient(shell, options);
  const head = await client.ask<LogToday['head']>('GET', '/node/attestations/head');
  const { public_key } = await client.ask<{ public_key: string }>('GET', '/.well-known/signing-key');
  if (size > head.size) return { head, publicKey: public_key, path: null };
  const { path } = await client.ask<{ path: string[] }>(
    'GET',
    `/node/attestations/consistency?from=${size}&to=${head.size}`,
  );
  return { head, publicKey: public_key, path };
}
