import { replyOf, shipped } from './shipped.ts';

/** What it needs of its process. */
export interface ProcessorProcess {
  stdin: AsyncIterable<Uint8Array>;
  now: () => number;
  out: (line: string) => void;
  err: (line: string) => void;
}

const maxInput = 512 * 2 ** 20;

/**
 * `archeion processor run NAME`: one job from stdin to stdout, both JSON. It loads nothing else of the program, since it
 * is started for every job. Gives the exit code.
 */
export async function runShipped(name: string | undefined, given: ProcessorProcess): Promise<0 | 2> {
  const processor = name === undefined ? undefined : shipped.get(name);
  if (!processor) {
    given.err(
      `archeion: there is no processor ${name ?? 'without a name'}. There are: ${[...shipped.keys()].join(', ')}.`,
    );
    return 2;
  }
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of given.stdin) {
    size += chunk.length;
    if (size > maxInput) {
      given.err(`archeion: the job is larger than ${maxInput} bytes.`);
      return 2;
    }
    chunks.push(chunk);
  }
  given.out(JSON.stringify(await replyOf(processor, Buffer.concat(chunks).toString('utf8'), given.now)));
  return 0;
}
