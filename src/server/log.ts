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
export function openLog(level: string, to: DestinationStream = stderr()): Log {
  // Of its own accord it writes an error out under `err` alone: under any other name nothing would be left of it.
  const serializers = { error: stdSerializers.err };
  return pino({ level, base: undefined, serializers, redact: { paths: secretPaths, censor: '[redacted]' } }, to);
}

/** Where a line cannot be written it is gone, and the next one is tried: a full disk must not end what logs that it is full. */
function stderr(): DestinationStream {
  const opened = () => {
    const made = destination(2);
    made.on('error', ({ code }: NodeJS.ErrnoException) => {
      // Where nobody reads them, pino writes no more.
      if (code === 'EPIPE' || made !== current) return;
      // It would keep what it could not write, and try that for ever.
      made.destroy();
      current = opened();
    });
    return made;
  };
  let current = opened();
  return { write: (line) => current.write(line) };
}
