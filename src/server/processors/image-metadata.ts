import type { CommandReply } from '../jobs/local/command-result.ts';
import { JobError } from '../kit/job-error.ts';
import type { Json, JsonObject } from '../model/manifest.ts';
import { type CommandJob, filesHere, type JobEntity, type JobFile, nameOf } from './command-job.ts';

/** Images that unfold to more than this are not opened. */
const maxPixels = 2_000_000_000;

/** What a file says technically of the image in it; it is written into the entity's own property `image`. */
export async function describeImages({ entities }: CommandJob): Promise<CommandReply> {
  const updates: { entity_id: string; properties: JsonObject }[] = [];
  const outputs: JsonObject[] = [];
  for (const entity of entities) {
    const image = await imageOf(entity);
    updates.push({ entity_id: entity.id, properties: { image } });
    const { format, width, height } = image as { format: Json; width: Json; height: Json };
    outputs.push({ entity_id: entity.id, format, width, height });
  }
  return { outputs: outputs as { entity_id: string }[], updates };
}

async function imageOf(entity: JobEntity): Promise<JsonObject> {
  const { default: sharp } = await import('sharp');
  const reasons: string[] = [];
  for (const file of filesHere(entity)) {
    try {
      const found = await sharp(file.path, { limitInputPixels: maxPixels, failOn: 'error' }).metadata();
      return described(found, file);
    } catch (error) {
      reasons.push(error instanceof Error ? error.message : String(error));
    }
  }
  throw new JobError('UNSUPPORTED_TYPE', `${nameOf(entity)} is no image that can be read: ${reasons.join('; ')}.`);
}

type Found = Awaited<ReturnType<import('sharp').Sharp['metadata']>>;

function described(found: Found, { cid, size }: JobFile): JsonObject {
  const { format, width, height, space, channels, depth, density, orientation, pages, compression } = found;
  const values: Record<string, Json | undefined> = {
    ...{ format, width, height, channels, depth, density, orientation, pages, compression },
    colour_space: space,
    chroma_subsampling: found.chromaSubsampling,
    has_alpha: found.hasAlpha,
    has_colour_profile: found.hasProfile,
    has_exif: found.exif !== undefined,
    has_xmp: found.xmp !== undefined,
    has_iptc: found.iptc !== undefined,
    progressive: found.isProgressive,
    megapixels: Math.round((width * height) / 10_000) / 100,
    bytes: size ?? undefined,
    cid,
  };
  return Object.fromEntries(Object.entries(values).filter((one): one is [string, Json] => one[1] !== undefined));
}
