import { JobError } from '../../kit/job-error.ts';
import { type KladosJob, targetsOf } from '../../kit/job-request.ts';
import { allContents } from '../../model/content-entries.ts';
import type { Manifest } from '../../model/manifest.ts';
import type { LocalCommand } from './command-settings.ts';
import type { JobFolder } from './job-folder.ts';
import type { ProcessorNode } from './ports.ts';

/**
 * What a command reads from stdin: the job as HTTP kladoi get it, with its entities in full and their files as paths. It
 * is made while it is read, so that a job of thousands of entities does not lie in memory.
 */
export async function* jobInput(
  job: KladosJob,
  klados: string,
  node: ProcessorNode,
  folder: JobFolder,
  { name, maxInputBytes }: LocalCommand,
): AsyncGenerator<string> {
  const head = JSON.stringify({ ...job, klados_id: klados, input: job.input ?? {}, folder: folder.path });
  yield `${head.slice(0, -1)},"entities":[`;
  let bytes = 0;
  let files = 0;
  for (const [i, id] of targetsOf(job).entries()) {
    const entity = await node.read(id);
    const handed = [];
    for (const { key, cid, size, type, filename } of allContents(entity as unknown as Manifest)) {
      // What the entity says of it anybody may have written.
      const kept = await node.contentSize(cid);
      bytes += kept ?? 0;
      if (bytes > maxInputBytes)
        throw new JobError(
          'INVALID_INPUT',
          `The files of the job are more than the ${maxInputBytes} bytes that the command ${name} is given: input_mb says how much.`,
        );
      const path = folder.input(files++);
      if (kept !== null) await node.copyContent(cid, path);
      handed.push({ key, cid, size: kept ?? size, content_type: type, filename, path: kept === null ? null : path });
    }
    yield `${i === 0 ? '' : ','}\n${JSON.stringify({ ...entity, files: handed })}`;
  }
  yield ']}\n';
}
