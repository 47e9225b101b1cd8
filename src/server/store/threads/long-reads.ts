import { descends, movedTips, tipsOfScope } from '../archive/archive-reads.ts';
import { blocksPage, chainsPage, walkPage } from '../archive/chain-reads.ts';
import { completedTips, earlierTips } from '../archive/earlier-tips.ts';
import { countVersions } from '../archive/left-out.ts';
import type { Reader } from '../connection.ts';
import { contentsPage } from '../content/content-reads.ts';
import { fileVersionsPage } from '../content/file-versions.ts';
import { findHeldContent, type HeldQuery } from '../content/held-content.ts';
import { countTypes, storedJson } from '../entities.ts';
import { isPredicateUsed, predicateNames, predicatesNamed } from '../entity-keys.ts';
import { graphEntityAnswer } from '../graph/graph-entity.ts';
import { type LinksQuery, linksTo } from '../graph/graph-links.ts';
import { leadingKeys, type NeighboursQuery, neighbours, pathsAnswer, reachableAnswer } from '../graph/graph-reads.ts';
import { incomingCounts, incomingTotal } from '../graph/incoming.ts';
import { queryAnswer } from '../graph/query-answer.ts';
import { type TreeQuery, treeBelow } from '../graph/tree-reads.ts';
import { entityMoves } from '../history-reads.ts';
import { collectionsLabelled } from '../imports/import-sources.ts';
import { madeHere } from '../jobs/made-here.ts';
import { listProcessors, type ProcessorListQuery } from '../jobs/processor-list.ts';
import { failuresOfRun, toldStatus } from '../jobs/run-failures.ts';
import { listRuns, type RunListQuery, type RunQuery, readRun } from '../jobs/run-list.ts';
import {
  catalogPage,
  collectionsOverview,
  nearestHeld,
  type RolesQuery,
  rolesHeldBy,
} from '../listings/collection-reads.ts';
import { collectionsFound } from '../listings/collections-found.ts';
import { type DeletedQuery, deletedRows } from '../listings/deleted-rows.ts';
import { type LabelSearchQuery, type LookupQuery, lookUp, searchLabels, typesNamed } from '../listings/label-reads.ts';
import { type ListingQuery, listEntities } from '../listings/listings.ts';
import { type NewestQuery, newestPage } from '../listings/newest.ts';
import { type FacetsQuery, tableFacets } from '../listings/table-facets.ts';
import { tableOrder } from '../listings/table-order.ts';
import { type TableRowsQuery, tableRows } from '../listings/table-rows.ts';
import { userCollections } from '../listings/user-collections.ts';
import { networkCounts } from '../network-counts.ts';
import { deletedPage, knownPage } from '../remotes/known-tips.ts';
import { countOpen, countRemote } from '../remotes/open-counts.ts';
import { lastKnown, listRefusals } from '../remotes/remotes.ts';
import { segmentsPage } from '../remotes/segment-reads.ts';
import { checkedBlock } from '../verify/checked-block.ts';
import { versionText } from '../version-text.ts';

/** Reads whose result is long: they run on the reader threads and give JSON text, or bytes (architecture.md, Reads). */
export const longReads = {
  /** A collection's listing without expansion, as the wire has it (wire-contract.md, GET /collections/{id}/entities). */
  listing: (db: Reader, query: ListingQuery): string => {
    const { entities, more } = listEntities(db, query);
    const { collection, offset, limit } = query;
    return JSON.stringify({
      collection_id: collection,
      entities: entities.map(({ json: _, ...row }) => ({ pi: row.id, ...row })),
      pagination: { offset, limit, count: entities.length, has_more: more },
    });
  },
  /** The same with the entities themselves, where these are wanted. */
  listed: (db: Reader, query: ListingQuery): string => JSON.stringify(listEntities(db, query)),
  /** See tree-reads.ts. */
  tree: (db: Reader, query: TreeQuery): string => JSON.stringify(treeBelow(db, query)),
  /** See graph-paths.ts and graph-reads.ts. */
  graphPaths: pathsAnswer,
  graphReachable: reachableAnswer,
  graphEntity: graphEntityAnswer,
  neighbours: (db: Reader, query: NeighboursQuery): string => JSON.stringify(neighbours(db, query)),
  /** The same without what the entities are, and, from graph-links.ts, the ways to some of them (argo/ports.ts). */
  reached: (db: Reader, query: NeighboursQuery): string => {
    const { neighbours: found, ...left } = neighbours(db, query);
    return JSON.stringify({ reached: found.map(({ id, source, way }) => ({ id, source, way })), ...left });
  },
  linked: (db: Reader, query: LinksQuery): string => {
    const { links, truncated, rows } = linksTo(db, query);
    return JSON.stringify({ reached: links, truncated, rows });
  },
  leadingKeys: (db: Reader, leading: Parameters<typeof leadingKeys>[1]): string =>
    JSON.stringify(leadingKeys(db, leading)),
  /** See incoming.ts. */
  incomingCounts: (db: Reader, { id }: { id: string }): string => JSON.stringify(incomingCounts(db, id)),
  incomingTotal: (db: Reader, { id }: { id: string }): string => String(incomingTotal(db, id)),
  /** See newest.ts. */
  newestPage: (db: Reader, query: NewestQuery): string => JSON.stringify(newestPage(db, query)),
  predicates: (db: Reader, _: object): string => JSON.stringify(predicateNames(db)),
  predicatesNamed: (db: Reader, { names }: { names: string[] }): string => JSON.stringify(predicatesNamed(db, names)),
  predicateUsed: (db: Reader, { names }: { names: string[] }): string => JSON.stringify(isPredicateUsed(db, names)),
  names: (db: Reader, _: object): string => JSON.stringify({ types: countTypes(db), predicates: predicateNames(db) }),
  /** See made-here.ts. */
  madeHere: (db: Reader, args: Parameters<typeof madeHere>[1]): string => JSON.stringify(madeHere(db, args)),
  /** See query-answer.ts. */
  queryAnswer,
  /** See label-reads.ts. */
  lookUp: (db: Reader, query: LookupQuery): string => {
    const entities = lookUp(db, query);
    return JSON.stringify({ collection_id: query.collection, entities, count: entities.length });
  },
  searchLabels: (db: Reader, query: LabelSearchQuery): string => {
    const entities = searchLabels(db, query);
    return JSON.stringify({ collection_id: query.collection, query: query.part, entities, count: entities.length });
  },
  typesNamed: (db: Reader, args: Parameters<typeof typesNamed>[1]): string => JSON.stringify(typesNamed(db, args)),
  /** See collection-reads.ts. */
  catalog: (db: Reader, page: Parameters<typeof catalogPage>[1]): string => {
    const { collections, total } = catalogPage(db, page);
    const has_more = page.offset + collections.length < total;
    return JSON.stringify({ data: collections, pagination: { total, ...page, has_more } });
  },
  rolesHeld: (db: Reader, query: RolesQuery): string => {
    const { limit, offset } = query;
    const { collections, total } = rolesHeldBy(db, query);
    const count = collections.length;
    return JSON.stringify({
      collections,
      pagination: { offset, limit, count, has_more: offset + count < total, total },
    });
  },
  /** See user-collections.ts. */
  userCollections,
  nearestHeld: (db: Reader, query: Parameters<typeof nearestHeld>[1]): string => JSON.stringify(nearestHeld(db, query)),
  collectionsOverview: (db: Reader, page: Parameters<typeof collectionsOverview>[1]): string =>
    JSON.stringify(collectionsOverview(db, page)),
  /** See collections-found.ts and import-sources.ts. */
  collectionsFound: (db: Reader, query: Parameters<typeof collectionsFound>[1]): string =>
    JSON.stringify(collectionsFound(db, query)),
  collectionsLabelled: (db: Reader, { label }: { label: string }): string =>
    JSON.stringify(collectionsLabelled(db, label)),
  /** Tables of a collection's entities; see table-views.ts. */
  tableOrder,
  tableRows: (db: Reader, query: TableRowsQuery): string => JSON.stringify(tableRows(db, query)),
  tableFacets: (db: Reader, query: FacetsQuery): string => JSON.stringify(tableFacets(db, query)),
  /** See deleted-rows.ts. */
  deletedRows: (db: Reader, query: DeletedQuery): string => JSON.stringify(deletedRows(db, query)),
  /** What an export lists; see archive-reads.ts. */
  tipsOfScope: (db: Reader, args: Parameters<typeof tipsOfScope>[1]): string => JSON.stringify(tipsOfScope(db, args)),
  movedTips: (db: Reader, args: Parameters<typeof movedTips>[1]): string => JSON.stringify(movedTips(db, args)),
  /** See earlier-tips.ts. */
  earlierTips: (db: Reader, args: Parameters<typeof earlierTips>[1]): string => JSON.stringify(earlierTips(db, args)),
  completedTips: (db: Reader, args: Parameters<typeof completedTips>[1]): string =>
    JSON.stringify(completedTips(db, args)),
  countVersions: (db: Reader, args: Parameters<typeof countVersions>[1]): string =>
    JSON.stringify(countVersions(db, args)),
  descends: (db: Reader, args: Parameters<typeof descends>[1]): string => JSON.stringify(descends(db, args)),
  /** A large version hashed again; see checked-block.ts. */
  checkedBlock: (db: Reader, args: { key: number }): string => JSON.stringify(checkedBlock(db, args)),
  /** A large version as a proof brings it; see version-text.ts. */
  versionText: (db: Reader, args: { key: number }): string => versionText(db, args),
  /** One entity's wire JSON; empty where it has none any more. */
  storedJson: (db: Reader, { id }: { id: string }): string => storedJson(db, id) ?? '',
  /** See held-content.ts. */
  heldContent: (db: Reader, query: HeldQuery): string => JSON.stringify(findHeldContent(db, query)),
  /** How much the network holds; see network-counts.ts. */
  counts: (db: Reader, _args: object): string => JSON.stringify(networkCounts(db)),
  /** Pages of blocks; see chain-reads.ts. */
  chainsPage,
  blocksPage,
  walkPage: (db: Reader, args: Parameters<typeof walkPage>[1]): string => JSON.stringify(walkPage(db, args)),
  /** See segment-reads.ts, content-reads.ts and history-reads.ts. */
  segmentsPage,
  contentsPage: (db: Reader, args: Parameters<typeof contentsPage>[1]): string =>
    JSON.stringify(contentsPage(db, args)),
  entityMoves: (db: Reader, args: Parameters<typeof entityMoves>[1]): string => JSON.stringify(entityMoves(db, args)),
  /** See open-counts.ts and remotes.ts. */
  remoteCounts: (db: Reader, { remote }: { remote: number }): string => JSON.stringify(countRemote(db, remote)),
  openCounts: (db: Reader, { remote }: { remote: number }): string => JSON.stringify(countOpen(db, remote)),
  refusals: (db: Reader, { remote, limit }: { remote: number; limit: number }): string =>
    JSON.stringify(listRefusals(db, remote, limit)),
  lastKnown: (db: Reader, { remote }: { remote: number }): string => JSON.stringify(lastKnown(db, remote) ?? null),
  /** See known-tips.ts. */
  deletedPage: (db: Reader, args: Parameters<typeof deletedPage>[1]): string => JSON.stringify(deletedPage(db, args)),
  knownPage: (db: Reader, args: Parameters<typeof knownPage>[1]): string => JSON.stringify(knownPage(db, args)),
  fileVersionsPage: (db: Reader, args: Parameters<typeof fileVersionsPage>[1]): string =>
    JSON.stringify(fileVersionsPage(db, args)),
  /** See run-failures.ts. */
  runStatus: (db: Reader, args: Parameters<typeof toldStatus>[1]): string => JSON.stringify(toldStatus(db, args)),
  runFailures: (db: Reader, args: Parameters<typeof failuresOfRun>[1]): string =>
    JSON.stringify(failuresOfRun(db, args)),
  runs: (db: Reader, query: RunListQuery): string => JSON.stringify(listRuns(db, query)),
  run: (db: Reader, query: RunQuery): string => JSON.stringify(readRun(db, query)),
  /** See processor-list.ts. */
  processors: (db: Reader, query: ProcessorListQuery): string => JSON.stringify(listProcessors(db, query)),
};

/** A read by name; `args` is plain data. */
export interface LongRead<N extends keyof typeof longReads = keyof typeof longReads> {
  /** The database file. */
  file: string;
  /** Which file it is that its store has open (file-identity.ts). */
  fileId: string | null;
  name: N;
  args: Parameters<(typeof longReads)[N]>[1];
  /** Its first number is no longer 0 when nobody waits for the read any more; see read-time.ts. */
  left?: Int32Array | undefined;
}
