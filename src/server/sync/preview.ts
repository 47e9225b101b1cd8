import { FileStore } from '../blocks/file-store.ts';
import { filesFolder } from '../store/network-folders.ts';
import { seenIntervals } from '../store/remotes/remotes.ts';
import { deletedThere } from './deleted-here.ts';
import type { Preview } from './engine-options.ts';
import { lookFirst } from './first-look.ts';
import { cardOf } from './introduction.ts';
import type { PreviewNeeds } from './preview-deletions.ts';
import { emptyPreview, previewPull } from './pull-preview.ts';
import { setBackSince } from './push-mark.ts';
import { previewPush } from './push-pending.ts';
import { levelOf } from './quiet-feed.ts';
import { pushes } from './remote-settings.ts';

/**
 * What a run with a remote would do, without doing it.
 * @throws UnreachableError
 */
export async function previewOf(needs: PreviewNeeds): Promise<Preview> {
  const { store, remote, client } = needs;
  const card = remote.instance === null ? null : await cardOf(client, true);
  const isOther = remote.instance !== null && card?.instance !== remote.instance;
  const isRead = remote.direction !== 'push';
  const { pull: found, named } = isRead
    ? await previewPull(needs)
    : { pull: { ...emptyPreview, reset: await setBackSince(needs) }, named: new Map<string, string>() };
  const isSeen = store.read((db) => seenIntervals(db, remote.key)).length > 0;
  const isFirst = isRead && !isSeen && levelOf(needs) === null;
  const files = new FileStore(filesFolder(store.folder));
  const first = isFirst ? await lookFirst({ remote, client, files }) : null;
  const pushed = pushes(remote) ? await previewPush(needs, needs.self, named) : [];
  const deleted = isRead ? [] : await deletedThere(needs);
  return {
    ...found,
    reset: isOther ? 'it is another node than before' : found.reset,
    first,
    push: [...pushed, ...deleted],
  };
}
