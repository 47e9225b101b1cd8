import type { CasUpdateBody, CountedPageView, EntityId, ManifestView, PageView, UpdatedView } from '../wire.ts';

/** A user's current version; its properties include `label` and `name`. */
export type UserView = ManifestView;
export type UserUpdatedView = UpdatedView;

export interface UpdateUserBody extends CasUpdateBody {
  /**
   * Display name.
   * @minLength 1
   */
  label?: string;
}

export interface UserKeyView {
  key_prefix: string;
  label: string | null;
  created_at: string;
  /** null: never. */
  expires_at: string | null;
  last_used_at: string | null;
}

export interface UserKeysView {
  keys: UserKeyView[];
}

export interface CreateUserKeyBody {
  /** @maxLength 100 */
  label?: string;
  /**
   * Seconds; 0 expires at once.
   * @isInt
   * @minimum 0
   * @maximum 31536000
   * @default 7776000
   */
  expires_in?: number;
}

export interface CreatedUserKeyView {
  /** The full key, shown only here. */
  key: string;
  key_prefix: string;
  expires_at: string;
}

export interface UserCollectionView {
  id: EntityId;
  /** As `id`. */
  pi: EntityId;
  label: string;
  /** The role that the user holds. */
  predicate: string;
  created_at: string;
}

export interface UserCollectionsView {
  user_id: EntityId;
  /** Newest created first, then by id; a line for each role. */
  collections: UserCollectionView[];
  pagination: PageView;
}

export interface MyCollectionView {
  collection_id: EntityId;
  /** All that the caller holds there. */
  roles: string[];
  label: string | null;
  /** When the first of them was given; where that is not known, when the collection was made. */
  granted_at: string;
}

export interface MyCollectionsView {
  /** Newest created first, then by id. */
  collections: MyCollectionView[];
  pagination: CountedPageView;
}
