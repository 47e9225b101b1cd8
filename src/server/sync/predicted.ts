import type { Manifest } from '../model/manifest.ts';
import { applyUpdate, type Stamp, type Update } from '../model/next-version.ts';
import { contentHash } from './content.ts';
import { deltasBetween } from './delta.ts';

/** An update body, and the hash of the content that it makes. */
export interface Predicted {
  delta: Update;
  makes: string;
}

const nobody: Stamp = { schema: '', ts: '', edited_by: { user_id: '', method: 'manual' } };

/** The update bodies that turn what `base` says into what `next` says, one after the other. */
export function predictedBetween(base: Manifest, next: Manifest): Predicted[] {
  let becomes = base;
  return deltasBetween(base, next).map((delta) => {
    becomes = applyUpdate(becomes, '', delta, nobody);
    return { delta, makes: contentHash(becomes) };
  });
}
