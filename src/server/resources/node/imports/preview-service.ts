import type { Draft } from '../../../exchange/draft.ts';
import { mapContext } from '../../../exchange/map-record.ts';
import { type PreviewRow, previewOf } from '../../../exchange/preview.ts';
import { type Caller, operator } from '../../../model/caller.ts';
import { type ImportStanding, importStandings } from '../../../store/imports/import-sources.ts';
import type { Networks } from '../../../store/networks.ts';
import { mappingOfBody } from './service.ts';
import type { ImportPreviewBody, ImportPreviewView, PreviewEntityView, PreviewRowView } from './wire.ts';

const usualRows = 10;
const maxEntities = 50;

/** What an import would make of the beginning of a file; writes nothing. */
export class ImportPreviewService {
  readonly #networks: Pick<Networks, 'get'>;

  constructor(networks: Pick<Networks, 'get'>) {
    this.#networks = networks;
  }

  /** @throws ValidationError where the mapping says what none can */
  async preview(caller: Caller, body: ImportPreviewBody): Promise<ImportPreviewView> {
    operator(caller);
    const { name, text, whole = true, collection, limit = usualRows } = body;
    const context = mapContext(caller.network, collection ?? '');
    const { rows, ...facts } = await previewOf({ name, text, whole }, mappingOfBody(body), context, limit);
    const store = await this.#networks.get(caller.network);
    const shown = rows.map((row) => ({ ...row, drafts: row.drafts.toReversed().slice(0, maxEntities) }));
    const ids = shown.flatMap(({ drafts }) => drafts.map(({ id }) => id));
    const standings = collection === undefined ? null : store.read((db) => importStandings(db, ids));
    return { ...facts, rows: shown.map((row) => rowView(row, standings)) };
  }
}

function rowView({ place, drafts, issues }: PreviewRow, standings: Map<string, ImportStanding> | null): PreviewRowView {
  return { place, issues, entities: drafts.map((draft) => entityView(draft, standings)) };
}

function entityView(draft: Draft, standings: Map<string, ImportStanding> | null): PreviewEntityView {
  const { id, type, properties, relationships, nested } = draft;
  const found = standings?.get(id);
  // What an undo deleted comes back as if it had never been there.
  const standing = !found || (found.deleted && found.untouched) ? 'new' : found.deleted ? 'deleted' : 'here';
  return { id, type, properties, relationships, mentioned: nested, ...(standings && { standing }) };
}
