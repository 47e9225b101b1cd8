import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { isContentCid } from '../blocks/cid.ts';
import { contentCid } from '../blocks/encode.ts';
import type { CommandReply, NewOutput } from '../jobs/local/command-result.ts';
import { beginningOf } from '../model/cut-text.ts';
import type { CommandJob, JobEntity, JobFile } from './command-job.ts';
import { nameOf } from './command-job.ts';

type Outcome = 'intact' | 'changed' | 'missing' | 'unknown';

/** The worst of several is that of all. */
const order: readonly Outcome[] = ['changed', 'missing', 'unknown', 'intact'];

/**
 * Hashes file content again and compares it with its CID. Each entity gets a `fixity_check` that says what came of it; the
 * entities themselves are handed on, with `fixity` for routes.
 */
export async function checkFixity({ entities }: CommandJob, now: () => number): Promise<CommandReply> {
  const records: NewOutput[] = [];
  const outputs: { entity_id: string; fixity: Outcome }[] = [];
  const messages: { level: 'error' | 'warning'; message: string }[] = [];
  for (const entity of entities) {
    const files: CheckedFile[] = [];
    for (const file of entity.files) files.push(await checked(file));
    const fixity = order.find((one) => files.some(({ outcome }) => outcome === one)) ?? 'missing';
    outputs.push({ entity_id: entity.id, fixity });
    records.push(recordOf(entity, fixity, files, new Date(now()).toISOString()));
    if (fixity !== 'intact')
      messages.push({
        level: fixity === 'changed' ? 'error' : 'warning',
        message: `The content of ${nameOf(entity)} (${entity.id}) is ${fixity}.`,
      });
  }
  return { outputs, records, messages };
}

interface CheckedFile {
  outcome: Outcome;
  cid: string;
  key: string | null;
  found: string | null;
}

async function checked({ cid, key, path }: JobFile): Promise<CheckedFile> {
  if (path === null) return { outcome: 'missing', cid, key, found: null };
  if (!isContentCid(cid)) return { outcome: 'unknown', cid, key, found: null };
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  const found = contentCid(hash.digest());
  return { outcome: found === cid ? 'intact' : 'changed', cid, key, found };
}

function recordOf(entity: JobEntity, fixity: Outcome, files: CheckedFile[], at: string): NewOutput {
  return {
    type: 'fixity_check',
    properties: {
      label: beginningOf(`Fixity of ${nameOf(entity)}: ${fixity}`, 200),
      outcome: fixity,
      checked_at: at,
      files: files.map((file) => ({ ...file })),
    },
    relationships: [{ predicate: 'checks', peer: entity.id, peer_type: entity.type }],
    content: [],
    route: {},
  };
}
