import { z } from 'zod';
import { countItems } from '../../../blocks/cbor-items.ts';
import { isCid } from '../../../blocks/cid.ts';
import { DamagedArchiveError } from '../../../blocks/damaged-archive-error.ts';
import { type Block, decodeManifest } from '../../../blocks/encode.ts';
import { manifestHead } from '../../../blocks/manifest-head.ts';
import { readSegments } from '../../../blocks/segment-car.ts';
import { type Issue, TooLargeError, ValidationError } from '../../../errors.ts';
import { entityIdPattern, isEntityId } from '../../../model/ids.ts';
import type { Manifest } from '../../../model/manifest.ts';
import { manifestProblem } from '../../../store/segment.ts';
import { objectIssues, predicateIssues, relationshipIssues, textIssues } from '../../entities/body.ts';

const maxBytes = 32 * 1024 * 1024;
const maxBlocks = 20_000;
const maxItems = 1_000_000;

const cid = z.string().max(200).refine(isCid);
const item = z.object({
  id: z.string().regex(entityIdPattern),
  expect: cid.nullable(),
  tip: cid,
  base: cid.nullable().optional(),
});
const rootOf = z.object({
  archeion: z.literal('push'),
  version: z.literal(1),
  instance: z.string().regex(/^[0-9a-f-]{36}$/),
  items: z.array(item).min(1).max(1000),
});

/**
 * One entity's stretch: from the tip that the sender knows (null for a creation) to the version that shall be the tip. With
 * `base` (null for all of it) it begins there, and takes the place of a tip that says the same.
 */
export type PushedItem = z.infer<typeof item>;

/** What came with a push: every block hashes to its CID, and belongs to one of the items. */
export interface Pushed {
  /** The node that says it sent it. */
  instance: string;
  items: PushedItem[];
  /** Of each item, oldest first; or why they are no chain that leads from `expect` to `tip`. */
  chains: (Block[] | Issue)[];
}

/** @throws ValidationError, TooLargeError; nothing of it can be believed then */
export async function readPushed(bytes: AsyncIterable<Uint8Array>): Promise<Pushed> {
  try {
    return await readSound(bytes);
  } catch (error) {
    throw error instanceof DamagedArchiveError ? ValidationError.at([], error.message) : error;
  }
}

async function readSound(bytes: AsyncIterable<Uint8Array>): Promise<Pushed> {
  const { root, blocks } = await readSegments(limited(bytes));
  const found = new Map<string, Block>();
  try {
    const parsed = rootOf.safeParse(root);
    if (!parsed.success)
      throw ValidationError.at(['root'], 'must say what is pushed: {archeion: "push", version: 1, ...}');
    const { items, instance } = parsed.data;
    if (new Set(items.map(({ id }) => id)).size < items.length)
      throw ValidationError.at(['items'], 'name an entity twice');
    for await (const block of blocks) {
      if (found.size === maxBlocks) throw new TooLargeError(`A push has at most ${maxBlocks} versions`);
      found.set(block.cid, block);
    }
    const chains = items.map((one) => chainOf(one, found));
    const used = new Set(chains.flatMap((chain) => (Array.isArray(chain) ? chain.map((block) => block.cid) : [])));
    const broken = chains.some((chain) => !Array.isArray(chain));
    if (!broken && used.size < found.size)
      throw ValidationError.at(['blocks'], 'hold a version that belongs to none of the items');
    return { instance, items, chains };
  } finally {
    await blocks.return();
  }
}

async function* limited(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let size = 0;
  for await (const chunk of bytes) {
    size += chunk.length;
    if (size > maxBytes) throw new TooLargeError('A push has at most 32 MiB');
    yield chunk;
  }
}

/** The versions from above `expect`, or `base`, to `tip`. A replay may bring none: what is there already need not come again. */
function chainOf({ id, expect, base, tip }: PushedItem, found: ReadonlyMap<string, Block>): Block[] | Issue {
  const chain: Block[] = [];
  const refuse = (message: string): Issue => ({ path: ['tip'], message });
  const from = base === undefined ? expect : base;
  for (let next: string | null = tip; next !== from; ) {
    const block: Block | undefined = next === null ? undefined : found.get(next);
    if (!block)
      return refuse(
        next === null
          ? `does not descend from ${base === undefined ? 'expect' : 'base'}`
          : `the version ${next} is missing`,
      );
    try {
      const head = manifestHead(block.bytes);
      if (head.id !== id) return refuse(`the version ${block.cid} is one of ${head.id.slice(0, 100)}`);
      next = head.prev;
    } catch (error) {
      return refuse(
        `the version ${block.cid} cannot be read: ${error instanceof Error ? error.message : String(error)}`,
      );
    }
    chain.push(block);
  }
  return chain.reverse();
}

/** @throws ValidationError where a block is no version that could be written here */
export function manifestOf({ cid, bytes }: Block, id: string): Manifest {
  const refuse = (reason: string) => ValidationError.at(['tip'], `the version ${cid}: ${reason}`);
  let manifest: Manifest;
  try {
    if (bytes.length > maxItems && countItems(bytes) > maxItems) throw refuse('it has more values than any entity');
    manifest = decodeManifest(bytes);
  } catch (error) {
    throw error instanceof ValidationError ? error : refuse('it cannot be read');
  }
  const problem = manifestProblem(manifest, id) ?? headProblem(manifest);
  if (problem !== null) throw refuse(problem);
  const { note, reason, relationships, properties } = manifest;
  const issues = [
    ...textIssues({ note, reason, type: manifest.type, schema: manifest.schema }),
    ...objectIssues(properties as never, ['properties']),
    ...relationshipIssues(relationships as never, ['relationships'], null),
    ...predicateIssues(manifest, relationships as never, ['relationships']),
  ];
  if (issues.length > 0) throw new ValidationError(issues);
  return manifest;
}

const times = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

/** What the endpoints see to for versions that are made here. */
function headProblem({ schema, type, created_at, ts, edited_by, note, reason, deleted }: Manifest): string | null {
  if (typeof schema !== 'string' || schema.length > 200) return 'its schema is no name of one';
  if (type.length < 1 || type.length > 100) return 'its type must have 1 to 100 characters';
  for (const time of [created_at, ts])
    if (!times.test(time) || Number.isNaN(Date.parse(time))) return 'its times must be of the form of ISO 8601 in UTC';
  if (deleted !== undefined && deleted !== true) return 'deleted is neither missing nor true';
  for (const text of [note, reason]) if (text !== undefined && typeof text !== 'string') return 'its note is no text';
  const author: unknown = edited_by;
  if (typeof author !== 'object' || author === null) return 'it has no author';
  const { user_id, method, on_behalf_of, ...rest } = author as Record<string, unknown>;
  const methods = ['manual', 'ai_generated', 'system', 'import'];
  const isId = (value: unknown) => typeof value === 'string' && isEntityId(value);
  return isId(user_id) &&
    methods.includes(String(method)) &&
    (on_behalf_of === undefined || isId(on_behalf_of)) &&
    Object.keys(rest).length === 0
    ? null
    : 'its author is not given as edited_by says';
}
