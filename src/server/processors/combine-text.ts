import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { CommandReply } from '../jobs/local/command-result.ts';
import { beginningOf } from '../model/cut-text.ts';
import { type CommandJob, nameOf } from './command-job.ts';

const maxProperty = 100_000;
const maxSources = 1000;

/** The texts of several documents in one `document`, in their order, each under its label. */
export async function combineText({ entities, folder, input }: CommandJob): Promise<CommandReply> {
  const text = entities
    .map(
      (entity) => `# ${nameOf(entity)}\n\n${typeof entity.properties.text === 'string' ? entity.properties.text : ''}`,
    )
    .join('\n\n');
  const path = 'combined.txt';
  await writeFile(join(folder, path), text);
  const label = typeof input.label === 'string' ? beginningOf(input.label, 200) : `${entities.length} texts`;
  const sources = entities.slice(0, maxSources).map(({ id, type }) => ({
    predicate: 'derived_from',
    peer: id,
    peer_type: type,
  }));
  return {
    outputs: [
      {
        type: 'document',
        properties: {
          label,
          text: beginningOf(text, maxProperty),
          ...(text.length > maxProperty && { truncated: true }),
          characters: text.length,
          sources: entities.length,
        },
        relationships: sources,
        content: [{ path, key: 'text', content_type: 'text/plain; charset=utf-8', filename: path }],
      },
    ],
  };
}
