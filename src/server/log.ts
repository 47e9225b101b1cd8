import { type DestinationStream, destination, type Logger, pino, stdSerializers } from 'pino';

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
  // Of its own accord it writes an error out under `err` alone: under any other name nothing would be left of it.
  const serializers = { error: stdSerializers.err };
  return pino({ level, base: undefined, serializers, redact: { paths: secretPaths, censor: '[redacted]' } }, to);
}
