import type { CommandReply } from '../jobs/local/command-result.ts';
import { failureOf } from '../kit/job-error.ts';
import { maxNotes, maxText } from '../kit/log-limits.ts';
import { beginningOf } from '../model/cut-text.ts';
import { combineText } from './combine-text.ts';
import { type CommandJob, readCommandJob } from './command-job.ts';
import { extractText } from './extract-text.ts';
import { checkFixity } from './fixity.ts';
import { describeImages } from './image-metadata.ts';

export interface Shipped {
  /** For lists and help. */
  about: string;
  run(job: CommandJob, now: () => number): Promise<CommandReply>;
}

/** The processors that come with the program. */
export const shipped: ReadonlyMap<string, Shipped> = new Map([
  ['extract-text', { about: 'the text of PDF, HTML and text files, as documents derived from them', run: extractText }],
  [
    'image-metadata',
    { about: 'format, size, colour and more of image files, in their property `image`', run: describeImages },
  ],
  ['fixity', { about: 'hash file content again and compare it with its CID', run: checkFixity }],
  ['combine-text', { about: 'one document from the texts of several', run: combineText }],
]);

/** Runs one of them on what came from stdin. Its own failures are replies as well. */
export async function replyOf(processor: Shipped, stdin: string, now: () => number): Promise<CommandReply> {
  try {
    return fitting(await processor.run(readCommandJob(stdin), now));
  } catch (error) {
    return { error: failureOf(error) };
  }
}

/** With the messages that a log has room for: more of them would make the whole reply unusable. */
function fitting(reply: CommandReply): CommandReply {
  if (!('messages' in reply) || reply.messages === undefined) return reply;
  const all = reply.messages.map((one) => ({ ...one, message: beginningOf(one.message, maxText) }));
  if (all.length <= maxNotes) return { ...reply, messages: all };
  const messages = all.slice(0, maxNotes - 1);
  const more = `${all.length - messages.length} more messages are left out.`;
  return { ...reply, messages: [...messages, { level: 'warning', message: more }] };
}
