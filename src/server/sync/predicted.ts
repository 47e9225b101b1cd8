import { required } from '../model/guards.ts';
import { collectionsOf, type Manifest } from '../model/manifest.ts';
import { applyUpdate, type Stamp, type Update } from '../model/next-version.ts';
import { contentHash } from '../store/content-hash.ts';
import { deltasBetween } from './delta.ts';
import type { Need } from './push-request.ts';

/** An update body, and the hash of the content that it makes. */
export interface Predicted {
  delta: Update;
  makes: string;
  /** See PushRequest. */
  needs: readonly Need[];
}

const nobody: Stamp = { schema: '', ts: '', edited_by: { user_id: '', method: 'manual' } };

/** The update bodies that turn what `base` says into what `next` says, one after the other. */
export function predictedBetween(base: Manifest, next: Manifest): Predicted[] {
  let becomes = base;
  const steps = deltasBetween(base, next).map((delta) => {
    const before = becomes;
    becomes = applyUpdate(before, '', delta, nobody);
    return { delta, makes: contentHash(becomes), before, after: becomes };
  });
  const moves = steps.some(({ after }) => placesOf(after) !== placesOf(base));
  return steps.map(({ before, after, ...step }) => ({ ...step, needs: moves ? needsOf(before, after) : [] }));
}

function placesOf(manifest: Manifest): string {
  return collectionsOf(manifest).join(' ');
}

/** What is in no collection needs nothing of one. */
function needsOf(before: Manifest, after: Manifest): Need[] {
  const place = before.type === 'collection' ? before.id : collectionsOf(before)[0];
  return required(before, after).demands.flatMap(({ action, on }) => {
    const collection = on === 'entity' ? place : on.collection;
    return collection === undefined ? [] : [{ action, collection }];
  });
}
