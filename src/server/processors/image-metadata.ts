import type { CommandReply } from '../jobs/local/command-result.ts';
import { JobError } from '../kit/job-error.ts';
import type { Json, JsonObject } from '../model/manifest.ts';
import { type CommandJob, filesHere, type JobEntity, type JobFile, nameOf } from './command-job.ts';

/** Images that unfold to more than this are not opened. */
const maxPixels = 2_000_000_000;

/**
 * What a file says technically of the image in it; it is written into the entity's own property `image`, over what this
 * processor has written there. A property `image` of somebody else's is left alone.
 */
export async function describeImages({ entities }: CommandJob): Promise<CommandReply> {
  const updates: { entity_id: string; properties: JsonObject }[] = [];
  const outputs: JsonObject[] = [];
  const messages: { level: 'warning'; message: string }[] = [];
  for (const entity of entities) {
    const image = await imageOf(entity);
    const written = writtenBefore(entity);
    if (written === null) messages.push({ level: 'warning', message: foreign(entity) });
    else updates.push({ entity_id: entity.id, properties: { image: over(written, image) } });
    const { format, width, height } = image as { format: Json; width: Json; height: Json };
    outputs.push({ entity_id: entity.id, format, width, height });
  }
  return { outputs: outputs as { entity_id: string }[], updates, messages };
}

/** The property as this processor has written it, empty where there is none; null for one that it has not written. */
function writtenBefore({ properties: { image } }: JobEntity): Record<string, unknown> | null {
  if (image === undefined || image === null) return {};
  if (typeof image !== 'object') return null;
  const { cid, format } = image as { cid?: unknown; format?: unknown };
  return typeof cid === 'string' && typeof format === 'string' ? { ...image } : null;
}

function foreign(entity: JobEntity): string {
  return `${entity.id} has a property image that image-metadata has not written: it is left as it is. To have the image described, give that property another name and run this again. It is ${nameOf(entity)}.`;
}

/** An update merges: what the image before had and this one has not is to be null. */
function over(written: Record<string, unknown>, image: Facts): JsonObject {
  return Object.fromEntries(
    Object.entries(image).flatMap(([name, value]) => {
      if (value !== undefined) return [[name, value]];
      return Object.hasOwn(written, name) ? [[name, null]] : [];
    }),
  );
}

async function imageOf(entity: JobEntity): Promise<Facts> {
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

/** Undefined is what the image does not have. */
type Facts = Record<string, Json | undefined>;
type Found = Awaited<ReturnType<import('sharp').Sharp['metadata']>>;

function described(found: Found, { cid, size }: JobFile): Facts {
  const { format, width, height, space, channels, depth, density, orientation, pages, compression } = found;
  return {
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
}
