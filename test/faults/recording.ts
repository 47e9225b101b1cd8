import { execFileSync } from 'node:child_process';
import { appendFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, normalize } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

/** What happened to the files below a folder, in its order. `sync` is the number of a sync, which begins and ends. */
export type Step =
  | { kind: 'mark'; text: string }
  | { kind: 'open'; inode: number; path: string; emptied: boolean; isFolder: boolean }
  | { kind: 'write'; inode: number; at: number; bytes: Uint8Array }
  | { kind: 'truncate'; inode: number; size: number }
  | { kind: 'sync-begin' | 'sync-end'; inode: number; sync: number }
  | { kind: 'rename'; path: string; to: string }
  | { kind: 'unlink' | 'mkdir' | 'rmdir'; path: string };

const kinds = [
  ...['mark', 'open', 'write', 'truncate', 'sync-begin', 'sync-end', 'rename', 'unlink', 'mkdir', 'rmdir'],
  'unknown',
];
const headBytes = 32;

/** Builds the library that records, into a folder; needs a C compiler (`cc`) and Linux. Its path. */
export function buildRecorder(folder: string): string {
  const library = join(folder, 'recorder.so');
  const source = join(import.meta.dirname, 'recorder.c');
  execFileSync('cc', ['-O2', '-shared', '-fPIC', '-o', library, source, '-ldl', '-lpthread']);
  return library;
}

/** The environment in which a process is recorded. `folder` is a real path; `log` lies outside of it. */
export function recorded(library: string, folder: string, log: string): Record<string, string> {
  return { LD_PRELOAD: library, FAULT_FOLDER: folder, FAULT_LOG: log, UV_USE_IO_URING: '0' };
}

/** Adds what is known to be promised from now on to a recording that goes on. */
export function addMark(log: string, text: string): void {
  const bytes = Buffer.from(text);
  const head = Buffer.alloc(headBytes);
  head.writeUInt32LE(bytes.length, 4);
  appendFileSync(log, Buffer.concat([head, bytes]));
}

/** Kills a recorded process between two of its calls: all that it has done is in the recording. */
export async function killRecorded({ pid, gone }: { pid: number; gone: Promise<unknown> }, log: string): Promise<void> {
  const stop = `${log}.stop`;
  writeFileSync(stop, '');
  // What has begun ends.
  await pause(300);
  process.kill(pid, 'SIGKILL');
  await gone;
  rmSync(stop);
}

/** Reads a recording. */
export function readRecording(log: string): Step[] {
  const all = readFileSync(log);
  const steps: Step[] = [];
  for (let at = 0; at < all.length; ) {
    const names = at + headBytes;
    const data = names + all.readUInt32LE(at + 4);
    const end = data + Number(all.readBigUInt64LE(at + 24));
    const kind = kinds[all.readUInt32LE(at)];
    const inode = Number(all.readBigUInt64LE(at + 8));
    const number = Number(all.readBigUInt64LE(at + 16));
    const text = all.toString('utf8', names, data);
    steps.push(stepOf(kind, { inode, number, text, bytes: all.subarray(data, end) }));
    at = end;
  }
  return steps;
}

interface Parts {
  inode: number;
  number: number;
  text: string;
  bytes: Uint8Array;
}

function stepOf(kind: string | undefined, { inode, number, text, bytes }: Parts): Step {
  switch (kind) {
    case 'mark':
      return { kind, text };
    case 'open':
      return { kind, inode, path: normalize(text), emptied: (number & 1) !== 0, isFolder: (number & 2) !== 0 };
    case 'write':
      return { kind, inode, at: number, bytes };
    case 'truncate':
      return { kind, inode, size: number };
    case 'sync-begin':
    case 'sync-end':
      return { kind, inode, sync: number };
    case 'rename': {
      const [path = '', to = ''] = text.split('\0');
      return { kind, path: normalize(path), to: normalize(to) };
    }
    case 'unlink':
    case 'mkdir':
    case 'rmdir':
      return { kind, path: normalize(text) };
    default:
      throw new Error(`the program did what the recorder has no picture of: ${text}`);
  }
}
