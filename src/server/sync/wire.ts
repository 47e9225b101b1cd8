import { z } from 'zod';
import { entityIdPattern, type Network, networkOf } from '../model/ids.ts';
import type { FeedPage } from './feed.ts';

// What a remote may answer, in the old spelling and in the new one (decisions.md, Names); all else is refused.

const id = z.string().regex(entityIdPattern);
const cid = z.string().min(1).max(200);
const named = { id: id.optional(), pi: id.optional(), entity_id: id.optional() };
const map = z.custom<Record<string, unknown>>((v) => typeof v === 'object' && v !== null && !Array.isArray(v));
const list = z.custom<unknown[]>(Array.isArray);

const event = z.object({ id: z.int().min(0), pi: id.optional(), entity_id: id.optional(), cid });
const events = z.object({
  events: z.array(event).max(10_000),
  has_more: z.boolean(),
  cursor: z.int().min(1).nullable().catch(null),
});

/** The wire form of a current version: only its head is looked at, its hash vouches for the rest. */
const current = z.looseObject({
  ...named,
  cid,
  type: z.string(),
  ver: z.int().min(1),
  ts: z.number().min(0).max(8.64e15),
  created_at: z.string(),
  prev_cid: cid.nullish(),
  edited_by: map,
  properties: map,
  relationships: list,
});
const batch = z.object({ entities: z.array(current).max(1000) });
/** interface.md does not show what else a collection's listing says: what is not understood of it says nothing. */
const paging = z.object({ has_more: z.boolean() }).optional().catch(undefined);
const listing = z.object({ entities: z.array(z.object(named)).max(10_000), pagination: paging });
const users = z.object({ collections: z.array(z.object(named)).max(10_000), pagination: paging });
const catalog = z.object({
  data: z.array(z.object({ id })).max(10_000),
  pagination: z.object({ has_more: z.boolean() }),
});
const versions = z.object({
  versions: z.array(z.object({ cid })).max(1000),
  has_more: z.boolean(),
  next_cursor: cid.nullish(),
});
const historic = z.object({ cid, manifest: map });
const tip = z.object({ ...named, cid });
const liveIds = z.object({ ids: z.array(id).max(1000), next: id.nullable() });
const tips = z.object({ tips: z.array(z.object({ id, cid })).max(1000) });
const user = z.object(named);
const offer = z.number().catch(0);
const card = z.object({
  instance: z.string().min(1).max(100),
  sync: z.object({ blocks: offer, live: offer }).catch({ blocks: 0, live: 0 }),
});
const without = z.object({ id, reason: z.enum(['missing', 'forbidden']) });
const blocksRoot = z.object({
  archeion: z.literal('blocks'),
  version: z.literal(1),
  without: z.array(without).max(1000),
  moved: z.array(id).max(1000),
});
/** What every write answers; relationships of a pair and others carry more. */
const written = z.object({ ...named, cid });
const pushedResult = z.object({
  id,
  success: z.boolean(),
  tip: cid.optional(),
  code: z.string().optional().catch(undefined),
  error: z.string().optional().catch(undefined),
  details: z
    .object({ reason: z.string().optional().catch(undefined) })
    .optional()
    .catch(undefined),
});
const pushed = z.object({ results: z.array(pushedResult).max(1000) });
const permissions = z.object({ allowed_actions: z.array(z.string()).max(1000) });
const grave = z.object({ details: z.object({ deleted: z.literal(true) }) });
const uploadUrl = z.object({ upload_url: z.string().min(1).max(8000) });
const uploadState = z.object({ offset: z.int().min(0), complete: z.boolean() });
const refusal = z.object({
  error: z.string(),
  details: z
    .object({ issues: z.array(z.object({ path: list, message: z.string() })) })
    .optional()
    .catch(undefined),
});

export type CurrentView = z.infer<typeof current> & { entity: string };

function entityOf(view: { id?: string | undefined; pi?: string | undefined; entity_id?: string | undefined }) {
  return view.id ?? view.pi ?? view.entity_id;
}

/** A page of the feed, newest first; null where the answer is no such page. */
export function readFeedPage(body: unknown, network: Network): FeedPage | null {
  const parsed = events.safeParse(body);
  if (!parsed.success) return null;
  const found = [];
  let before = Number.POSITIVE_INFINITY;
  for (const { id, pi, entity_id, cid } of parsed.data.events) {
    const entity = pi ?? entity_id;
    if (entity === undefined || networkOf(entity) !== network || id >= before) return null;
    before = id;
    found.push({ id, entity, cid });
  }
  return { events: found, more: parsed.data.has_more, next: parsed.data.cursor };
}

/** The entities of a batch-get, those that can be read; null where the answer is none. */
export function readBatch(body: unknown): CurrentView[] | null {
  const parsed = batch.safeParse(body);
  if (!parsed.success) return null;
  return parsed.data.entities.flatMap((view) => {
    const entity = entityOf(view);
    return entity === undefined ? [] : [{ ...view, entity }];
  });
}

/** A page of ids, and whether there are more; null where it does not say. */
export interface IdPage {
  ids: string[];
  more: boolean | null;
}

/** A collection's listing; null where the answer is none. */
export function readListing(body: unknown): IdPage | null {
  const parsed = listing.safeParse(body);
  if (!parsed.success) return null;
  const { entities, pagination } = parsed.data;
  return { ids: entities.flatMap((it) => entityOf(it) ?? []), more: pagination?.has_more ?? null };
}

/** A page of all collections; null where the answer is none. */
export function readCatalog(body: unknown): IdPage | null {
  const parsed = catalog.safeParse(body);
  if (!parsed.success) return null;
  const { data, pagination } = parsed.data;
  return { ids: data.map((it) => it.id), more: pagination.has_more };
}

/** A page of the collections in which a user holds a role, each once or more often; null where the answer is none. */
export function readUsersCollections(body: unknown): IdPage | null {
  const parsed = users.safeParse(body);
  if (!parsed.success) return null;
  const { collections, pagination } = parsed.data;
  return { ids: collections.flatMap((it) => entityOf(it) ?? []), more: pagination?.has_more ?? null };
}

/**
 * A page of an entity's versions, newest first; `next` is where the next one starts, its last one where it does not say. Null
 * where the answer is none.
 */
export function readVersionsPage(body: unknown): { cids: string[]; next: string | null } | null {
  const parsed = versions.safeParse(body);
  if (!parsed.success) return null;
  const { versions: found, has_more, next_cursor } = parsed.data;
  return { cids: found.map((it) => it.cid), next: has_more ? (next_cursor ?? found.at(-1)?.cid ?? null) : null };
}

export function readHistoric(body: unknown): Record<string, unknown> | null {
  const parsed = historic.safeParse(body);
  return parsed.success ? parsed.data.manifest : null;
}

/** Tips by entity; null where the answer is none. */
export function readTips(body: unknown): Map<string, string> | null {
  const parsed = tips.safeParse(body);
  return parsed.success ? new Map(parsed.data.tips.map((it) => [it.id, it.cid])) : null;
}

/** A page of a node's live entities; null where the answer is none. */
export function readLiveIds(body: unknown): { ids: string[]; next: string | null } | null {
  const parsed = liveIds.safeParse(body);
  return parsed.success ? parsed.data : null;
}

/** The CID that a tip or a write names. */
export function readTip(body: unknown): string | null {
  const parsed = tip.safeParse(body);
  return parsed.success ? parsed.data.cid : null;
}

export function readWritten(body: unknown): { id: string | undefined; cid: string } | null {
  const parsed = written.safeParse(body);
  return parsed.success ? { id: entityOf(parsed.data), cid: parsed.data.cid } : null;
}

export function readUser(body: unknown): string | null {
  const parsed = user.safeParse(body);
  return parsed.success ? (entityOf(parsed.data) ?? null) : null;
}

/** An Archeion node: which it is, and what it offers beyond the public interface in the form that is known here. */
export interface NodeCard {
  instance: string;
  blocks: boolean;
  live: boolean;
}

/** Null for anything that is no Archeion node. */
export function readCard(body: unknown): NodeCard | null {
  const parsed = card.safeParse(body);
  if (!parsed.success) return null;
  const { instance, sync } = parsed.data;
  return { instance, blocks: sync.blocks === 1, live: sync.live === 1 };
}

/** What the root block of an answer with versions says; null where it is none. */
export function readBlocksRoot(
  root: unknown,
): { without: Map<string, 'missing' | 'forbidden'>; moved: Set<string> } | null {
  const parsed = blocksRoot.safeParse(root);
  if (!parsed.success) return null;
  const { without, moved } = parsed.data;
  return { without: new Map(without.map(({ id, reason }) => [id, reason])), moved: new Set(moved) };
}

/** What the key's user may do with an entity, or in a collection; null where the answer does not say. */
export function readAllowed(body: unknown): readonly string[] | null {
  return permissions.safeParse(body).data?.allowed_actions ?? null;
}

/** Whether an answer says that what was asked for is deleted. */
export function saysDeleted(status: number, body: unknown): boolean {
  return status === 404 && grave.safeParse(body).success;
}

/** An address that takes bytes; null where the answer names none. */
export function readUploadUrl(body: unknown): string | null {
  const parsed = uploadUrl.safeParse(body);
  return parsed.success ? parsed.data.upload_url : null;
}

/** How far an upload to a node has come. */
export function readUploadOffset(body: unknown): { offset: number; complete: boolean } | null {
  const parsed = uploadState.safeParse(body);
  return parsed.success ? parsed.data : null;
}

/** What says that a request is not valid: which of the two it is, interface.md, Errors, leaves open. */
export function isInvalid(status: number): boolean {
  return status === 400 || status === 422;
}

/** Where in the request a remote finds what is not valid. */
export function readIssuePaths(body: unknown): unknown[][] {
  const parsed = refusal.safeParse(body);
  return parsed.success ? (parsed.data.details?.issues ?? []).map(({ path }) => path) : [];
}

export interface PushedResult {
  success: boolean;
  /** The version that is the tip there now. */
  tip: string | undefined;
  reason: string | undefined;
  /** Why this caller may not do it, in the remote's words. */
  forbidden: string | undefined;
}

/** What became of versions that were pushed, by entity; null where the answer does not say. */
export function readPushed(body: unknown): Map<string, PushedResult> | null {
  const parsed = pushed.safeParse(body);
  if (!parsed.success) return null;
  return new Map(
    parsed.data.results.map(({ id, success, tip, details, code, error }) => {
      const forbidden = code === 'FORBIDDEN' ? (error ?? code).slice(0, maxWords) : undefined;
      return [id, { success, tip, reason: details?.reason, forbidden }];
    }),
  );
}

/** Whether an answer that refuses something has the form that the interface gives it. */
export function saysWhy(body: unknown): boolean {
  return refusal.safeParse(body).success;
}

const maxWords = 2000;

/** A refusal in the remote's own words. */
export function readWords(body: unknown, status: number): string {
  const parsed = refusal.safeParse(body);
  if (!parsed.success) return `HTTP ${status}`;
  const issues = (parsed.data.details?.issues ?? []).map(({ path, message }) => `${path.join('.')}: ${message}`);
  return [parsed.data.error, ...issues].join('; ').slice(0, maxWords);
}
