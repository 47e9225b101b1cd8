import { type Log, openLog } from '../../log.ts';
import { fromJson } from '../../model/from-json.ts';
import type { Shell } from './shell.ts';
import { printable } from './table.ts';

/** Warnings and errors of a node that a command runs, as a person at a terminal reads them. */
export function logInWords(err: Shell['err']): Log {
  return openLog('warn', { write: (line) => err(printable(inWords(fromJson(line) as Line))) });
}

interface Line {
  level: number;
  msg: string;
  [fact: string]: unknown;
}

/** `name` is the part of the program that says it. */
function inWords({ level, msg, time: _, name: __, ...facts }: Line): string {
  const all = Object.entries(facts).map(([fact, value]) => {
    if (typeof value !== 'object' || value === null) return `${fact}: ${value}`;
    return 'message' in value ? String(value.message) : `${fact}: ${JSON.stringify(value)}`;
  });
  return `${level < 50 ? 'Warning' : 'Error'}: ${msg}${all.length > 0 ? ` (${all.join(', ')})` : ''}`;
}
