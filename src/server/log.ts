import { type DestinationStream, destination, type Logger, pino } from 'pino';

export type Log = Logger;

/** Headers in which credentials travel, wherever a logged object carries them. */
const secretPaths = [
  'authorization',
  'cookie',
  'headers.authorization',
  'headers.cookie',
  '*.headers.authorization',
  '*.headers.cookie',
];

/** The root of the named loggers (`log.child({ name: 'sync' })`): JSON lines to stderr, stdout is for answers. */
export function openLog(level: string, to: DestinationStream = destination(2)): Log {
  return pino({ level, base: undefined, redact: { paths: secretPaths, censor: '[redacted]' } }, to);
}
