import type { EntityView } from '../entities/wire.ts';
import type {
  CasBody,
  CasUpdateBody,
  EntityId,
  JsonMap,
  ManifestView,
  RelationshipBody,
  UpdatedView,
  VersionCid,
} from '../wire.ts';

/** A folder's current version; `contains` names what is in it, `in` the folders and collections that it is in. */
export interface FolderView extends ManifestView {
  type: 'folder';
}

export interface FolderUpdatedView extends UpdatedView {
  type: 'folder';
}

/** The members of the folder profile. */
export interface FolderProfileBody {
  description?: string;
  /** Markdown. */
  rich_description?: string;
  /** Any JSON object. */
  metadata?: JsonMap;
}

export interface CreateFolderBody extends FolderProfileBody {
  /** @minLength 1 */
  label: string;
  /** Why; kept with the version. */
  note?: string;
  /** Other properties; the members above win. */
  properties?: JsonMap;
  relationships?: RelationshipBody[];
  /** The collection to lie in; makes the `collection` relationship. Where none is given, that of `parent`. */
  collection?: EntityId;
  /** The folder or collection to be in; both sides of the pair are written. */
  parent?: EntityId;
}

export interface UpdateFolderBody extends CasUpdateBody, FolderProfileBody {
  /** @minLength 1 */
  label?: string;
}

export interface AddChildBody extends CasBody {
  /** A file or folder. */
  child_id: EntityId;
  /** Required where the child lies in a collection. */
  expect_child_tip?: VersionCid;
}

export interface RemoveChildBody extends CasBody {
  expect_child_tip: VersionCid;
}

export interface AddParentBody extends CasBody {
  /** A folder or collection. */
  parent_id: EntityId;
  /** Required where the parent is a collection or lies in one. */
  expect_parent_tip?: VersionCid;
}

export interface RemoveParentBody extends CasBody {
  expect_parent_tip: VersionCid;
}

export interface AddChildrenBody extends CasBody {
  /**
   * Files and folders; the node knows their types.
   * @minItems 1
   * @maxItems 50
   */
  children: { id: EntityId; type?: string }[];
}

export interface ChildVersion {
  id: EntityId;
  cid: VersionCid;
}

export interface FolderChildView {
  folder: FolderView;
  child: ChildVersion;
}

export interface FolderChildrenView {
  folder: FolderView;
  added: ChildVersion[];
  /** Those that were in the folder already. */
  skipped: EntityId[];
}

export interface FolderParentView {
  folder: FolderView;
  parent: EntityView;
}
