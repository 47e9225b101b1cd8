import type { EntityId, JsonMap, RelationshipBody, VersionCid } from '../../wire.ts';

export interface ConflictEntryView {
  /**
   * With which remote; `car` where an archive brought the other side, or a remote had it that was set back, or removed, and of
   * several such about one entity `car:2` and so on for the others.
   */
  remote: string;
  id: EntityId;
  type: string | null;
  label: string | null;
  /** The last common version, null where there is none. */
  base: VersionCid | null;
  /** The version here when the conflict was found. */
  ours: VersionCid;
  theirs: VersionCid;
  /** When it was found. */
  found_at: string;
}

export interface ConflictsView {
  conflicts: ConflictEntryView[];
  /**
   * How many there are, also beyond the limit.
   * @isInt
   */
  total: number;
}

/** One side of a conflict; the other members are missing where it was deleted. */
export interface SideView {
  cid: VersionCid | null;
  /** @isInt */
  ver: number;
  type: string;
  /** When it was made. */
  ts: string;
  /** The id of who made it; empty where another program's version does not say. */
  edited_by: string;
  deleted: boolean;
  properties: JsonMap;
  relationships: RelationshipBody[];
}

/** A place that both sides changed, and not to the same; a side without a member has nothing there. */
export interface ClashView {
  /**
   * `["properties", ...]`, `["relationships", predicate, peer, ...]`, `["relationships", "root"]` of a collection,
   * `["relationships", "collection"]`: each side put another collection first, which decides permissions, `["type"]`: it was
   * made as something else on each side, or `[]`: one side deleted what the other changed. No version changes a type: of `["type"]`
   * only the other side can be chosen, and of a conflict without a remote only ours.
   */
  path: string[];
  base?: unknown;
  ours?: unknown;
  theirs?: unknown;
}

export interface OpenConflictView extends ConflictEntryView {
  /** The three versions; ours is the tip here now. */
  sides: { base: SideView | null; ours: SideView; theirs: SideView };
  clashes: ClashView[];
  /** What all else merges to, with ours at each clash. */
  merged: { deleted: boolean; properties: JsonMap; relationships: RelationshipBody[] };
}

export interface ConflictChoice {
  /** The path of a clash. */
  path: string[];
  side: 'ours' | 'theirs';
}

/** How a conflict is decided. */
export interface ResolveBody {
  /**
   * What stands where both changed the same place: ours, theirs, or `merged`: what the body says. Everything else is
   * merged. The type is that of the version that is followed, also with `merged`.
   */
  resolution: 'ours' | 'theirs' | 'merged';
  /**
   * Single places that are decided otherwise.
   * @maxItems 10000
   */
  choices?: ConflictChoice[];
  /** With `merged`: everything that the entity is to say. */
  properties?: JsonMap;
  /** With `merged`: all of its relationships. */
  relationships?: RelationshipBody[];
  /** The tip here that was looked at; where it has moved since, the answer is 409. */
  expect_tip?: VersionCid;
  /** The other side that was looked at. */
  expect_theirs?: VersionCid;
  note?: string;
}

export interface ResolvedView {
  id: EntityId;
  /** The tip now. */
  cid: VersionCid;
  /** @isInt */
  ver: number;
  deleted: boolean;
}
