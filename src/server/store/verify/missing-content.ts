import { cidText } from '../../blocks/cid.ts';
import type { FileStore } from '../../blocks/file-store.ts';
import { turn } from '../../loop/pace.ts';
import type { Connection } from '../connection.ts';
import { namedPage } from '../content/content-holders.ts';

const pageRows = 1000;

/** Content that stored versions name and whose bytes are not kept, by CID, each with an entity of which a version names it. */
export async function* missingContent(
  db: Connection,
  files: FileStore,
): AsyncGenerator<{ cid: string; id: string }, void, undefined> {
  for (let after: Uint8Array | undefined = new Uint8Array(0); after; await turn()) {
    const from: Uint8Array = after;
    const page = db.snapshot((reader) => namedPage(reader, from, pageRows));
    for (const { cid, id } of page) if (!files.has(cidText(cid))) yield { cid: cidText(cid), id };
    after = page.at(-1)?.cid;
  }
}
