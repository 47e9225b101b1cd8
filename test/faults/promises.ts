import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { FileStore } from '../../src/server/blocks/file-store.ts';
import { attestFile, headsBetween, logSize, openLogReader } from '../../src/server/store/attest-log.ts';
import { openReader, type Reader } from '../../src/server/store/connection.ts';
import { findTip } from '../../src/server/store/entities.ts';
import { filesFolder } from '../../src/server/store/network-folders.ts';
import { databaseFile } from '../../src/server/store/network-store.ts';
import { findVersion } from '../../src/server/store/versions.ts';
import { contradictions, lost } from '../helpers/crash-check.ts';
import { cidOf } from '../helpers/files.ts';
import { untilResumed } from '../helpers/resumed.ts';
import { bytesOf } from './load.ts';

/** What a node has promised a client. Versions are `[id, cid]`. */
export type Promised =
  | { versions: [string, string][] }
  /** An archive that was sent: all of it is there or none, whatever was answered. */
  | { archive: [string, string][]; files: string[] }
  /** Bytes, by their CID. */
  | { file: string }
  /** Bytes that come in parts (bytesOf), and how far they have: it can go on from there, or from further on. */
  | Upload
  /** Where to ask how a job stands. */
  | { job: string }
  /** A property that an entity will have. */
  | { added: [string, string] }
  /** A signed head that was shown: so many leaves, with that root. */
  | { head: number; root: string }
  | { remote: string }
  | { key: string };

interface Upload {
  upload: string;
  name: string;
  size: number;
  come: number;
  /** When it was said, epoch milliseconds. */
  at: number;
}

/** So long an address takes bytes after the last ones (wire-contract.md 4.4); a recording may be looked at later than that. */
const uploadLifeMs = 15 * 60_000;
const patience = 30_000;

interface Running {
  url: string;
  data: string;
  key: string;
}

/** What a node that was started again has not kept of its promises; it may go on working meanwhile. */
export async function brokenPromises(node: Running, promised: readonly Promised[]): Promise<string[]> {
  const problems: string[] = [];
  const headers = { authorization: `ApiKey ${node.key}` };
  const get = (path: string, key = headers) => fetch(`${node.url}${path}`, { headers: key });
  await untilResumed(node);
  for (const it of promised) {
    if ('job' in it) problems.push(...(await jobProblems(get, it.job)));
    if ('key' in it && (await get('/users/me', { authorization: `ApiKey ${it.key}` })).status !== 200)
      problems.push('an API key is lost');
    if ('upload' in it) problems.push(...(await uploadProblems(node.url, it, promised)));
    if ('remote' in it && (await get(`/node/remotes/${it.remote}`)).status !== 200) problems.push('a remote is lost');
    if ('added' in it && !(await isAdded(get, it.added))) problems.push(`the addition to ${it.added[0]} is lost`);
  }
  const verified = (await (await fetch(`${node.url}/node/verify`, { method: 'POST', headers })).text()).trim();
  const { done } = JSON.parse(verified.split('\n').at(-1) ?? '') as { done?: { ok: boolean; problems: object[] } };
  if (!done?.ok) problems.push(`verify: ${JSON.stringify(done?.problems ?? verified.slice(-500))}`);

  problems.push(...headProblems(join(node.data, 'main'), promised));
  const files = new FileStore(filesFolder(join(node.data, 'main')));
  const reader = openReader(databaseFile(node.data, 'main'));
  try {
    problems.push(...reader.snapshot((db) => problemsIn(db, files, promised)));
  } finally {
    reader.close();
  }
  return problems;
}

function problemsIn(db: Reader, files: FileStore, promised: readonly Promised[]): string[] {
  const problems = contradictions(db);
  problems.push(
    ...lost(
      db,
      promised.flatMap((it) => ('versions' in it ? it.versions : [])),
    ),
  );
  for (const it of promised) {
    if ('file' in it && !files.has(it.file)) problems.push(`the file ${it.file} is lost`);
    if (!('archive' in it)) continue;
    const here = it.archive.filter(([, cid]) => findVersion(db, cid));
    const moved = it.archive.filter(([id]) => findTip(db, id));
    if (moved.length > 0 && here.length < it.archive.length)
      problems.push(`an archive was applied by half: ${here.length} of ${it.archive.length}`);
    if (moved.length > 0 && it.files.some((cid) => !files.has(cid)))
      problems.push('files of an archive that was applied are missing');
  }
  return problems;
}

/** The last thing that was said of an upload: it goes on where the node says, and comes to the right bytes. */
async function uploadProblems(
  url: string,
  { upload, name, size, come, at }: Upload,
  promised: readonly Promised[],
): Promise<string[]> {
  if (promised.some((it) => 'upload' in it && it.upload === upload && it.come > come)) return [];
  if (Date.now() >= at + uploadLifeMs) return [];
  const bytes = bytesOf(name, size);
  const state = await fetch(`${url}${upload}`, { method: 'HEAD' });
  const offset = Number(state.headers.get('upload-offset'));
  if (state.status !== 200 || offset < come)
    return [`an upload of ${come} bytes stands at ${offset} (${state.status})`];
  if (offset === size) return [];
  const headers = { 'content-range': `bytes ${offset}-${size - 1}/${size}`, 'content-type': 'text/plain' };
  const rest = await fetch(`${url}${upload}`, { method: 'PUT', headers, body: bytes.subarray(offset) });
  const { cid } = (await rest.json()) as { cid?: string };
  return cid === cidOf(bytes) ? [] : [`an upload that went on at ${offset} of ${size} bytes became ${cid}`];
}

/** Whoever has been shown a head would find the node to contradict itself. */
function headProblems(folder: string, promised: readonly Promised[]): string[] {
  const shown = promised.flatMap((it) => ('head' in it ? [it] : []));
  const log = shown.length > 0 ? openLogReader(attestFile(folder)) : null;
  try {
    const isKept = ({ head, root }: { head: number; root: string }) =>
      log &&
      logSize(log) >= head &&
      headsBetween(log, head - 1, head).some((kept) => Buffer.from(kept.root).toString('base64url') === root);
    return shown.filter((one) => !isKept(one)).map(({ head }) => `the signed head of ${head} leaves is lost`);
  } finally {
    log?.close();
  }
}

type Get = (path: string) => Promise<Response>;

async function jobProblems(get: Get, path: string): Promise<string[]> {
  for (const until = Date.now() + patience; Date.now() < until; await pause(50)) {
    const answer = await get(path);
    if (answer.status !== 200) return [`the job ${path} is lost: ${answer.status}`];
    const { status, errors } = (await answer.json()) as { status: string; errors?: object[] };
    if (status === 'done') return [];
    if (status === 'error') return [`the job ${path} failed: ${JSON.stringify(errors)}`];
  }
  return [`the job ${path} did not end`];
}

async function isAdded(get: Get, [id, property]: [string, string]): Promise<boolean> {
  for (const until = Date.now() + patience; Date.now() < until; await pause(50)) {
    const { properties } = (await (await get(`/entities/${id}`)).json()) as { properties?: object };
    if (properties && property in properties) return true;
  }
  return false;
}
