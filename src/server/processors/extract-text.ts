import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { CommandReply, NewOutput } from '../jobs/local/command-result.ts';
import { JobError } from '../kit/job-error.ts';
import { beginningOf } from '../model/cut-text.ts';
import { type CommandJob, filesHere, type JobEntity, nameOf } from './command-job.ts';
import { textOf } from './text-of.ts';

/** What stands in the property; a longer text is a file as well. */
const maxProperty = 100_000;

/** The text of PDF and HTML files: for each entity a `document` that is derived from it. */
export async function extractText({ entities, folder }: CommandJob): Promise<CommandReply> {
  const outputs: NewOutput[] = [];
  const messages: { level: 'warning'; message: string }[] = [];
  for (const [index, entity] of entities.entries()) {
    const parts = await textsOf(entity);
    const text = parts.map((part) => part.text).join('\n\n');
    if (text.trim() === '')
      messages.push({ level: 'warning', message: `${nameOf(entity)} has no text: it may be a scan.` });
    const title = parts.find((part) => part.title !== undefined)?.title;
    const pages = parts.reduce((sum, part) => sum + (part.pages ?? 0), 0);
    const long = text.length > maxProperty;
    const path = `text-${index}.txt`;
    if (long) await writeFile(join(folder, path), text);
    outputs.push({
      type: 'document',
      properties: {
        label: beginningOf(`Text of ${nameOf(entity)}`, 200),
        ...(title !== undefined && { title }),
        text: beginningOf(text, maxProperty),
        ...(long && { truncated: true }),
        characters: text.length,
        ...(pages > 0 && { pages }),
        source_format: parts[0]?.format ?? 'text',
      },
      relationships: [{ predicate: 'derived_from', peer: entity.id, peer_type: entity.type }],
      content: long ? [{ path, key: 'text', content_type: 'text/plain; charset=utf-8', filename: path }] : [],
      route: { has_text: text.trim() !== '' },
    });
  }
  return { outputs, messages };
}

async function textsOf(entity: JobEntity) {
  const here = filesHere(entity);
  const found = [];
  for (const file of here) {
    const text = await textOf(file);
    if (text !== null) found.push(text);
  }
  if (found.length > 0) return found;
  const types = here.map(({ content_type }) => content_type ?? 'of no known type').join(', ');
  throw new JobError('UNSUPPORTED_TYPE', `${nameOf(entity)} is no PDF, HTML or text file (${types}).`);
}
