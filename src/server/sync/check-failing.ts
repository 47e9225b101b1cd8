import { listUnlisted } from '../store/remotes/unlisted.ts';
import type { PushContext } from './push-context.ts';
import { FailedInPartError } from './remote-errors.ts';

const listedAgain =
  'Everything else was compared. It is tried again when somebody syncs, and by itself, ever less often; the log of the other side says why.';

/**
 * @throws FailedInPartError where the remote failed at some entities or listings, or gives no address for bytes that need rights yet, while
 * everything else was sent
 */
export function checkFailing({ failing, waiting, client, store, remote }: PushContext): void {
  const [first, ...others] = failing;
  const sent = `Everything else was sent${exceptWords([...waiting])}.`;
  if (first) {
    const [id, words] = first;
    const whose = others.length > 0 ? `${id} and ${others.length} more were` : `${id} was`;
    throw new FailedInPartError(
      `${words} (while ${whose} being sent). ${sent} It is tried again with the next sync; where that goes on, the log of the other side says why.`,
    );
  }
  if (waiting.size > 0)
    throw new FailedInPartError(
      `${client.host} gives no address for the bytes of some files now. ${sent} It is asked again, ever less often.`,
    );
  // Where nothing is pulled no listing is asked for.
  const [unlisted] = store.read((db) => listUnlisted(db, remote, 1));
  if (unlisted) throw new FailedInPartError(`${unlisted.words}. ${listedAgain}`);
}

function exceptWords([first, ...others]: string[]): string {
  if (first === undefined) return '';
  const which =
    others.length === 0 ? `${first}, which takes` : `${others.length + 1} collections and groups, which take`;
  return `, but for ${which} away rights that are needed yet`;
}
