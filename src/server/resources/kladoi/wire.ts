import type { ChangeBody, RegisterBody } from '../processors/wire.ts';
import type { JsonMap, ManifestView, UpdatedView } from '../wire.ts';

/**
 * A klados's current version. Its properties are the members of the body that made it, `status` and, once its endpoint is
 * verified, `endpoint_verified_at`.
 */
export type KladosView = ManifestView;
export type KladosUpdatedView = UpdatedView;

/** What a klados takes, or gives. */
export interface PortBody {
  /**
   * Types of entities or files; `*` for any.
   * @minItems 1
   * @example ["file"]
   */
  types: string[];
  /** Whether it is one entity a job, or several. */
  cardinality: 'one' | 'many';
}

export interface CreateKladosBody extends RegisterBody {
  /**
   * The base address of the service; jobs are posted to `/process` below it. The operator of the node may name a command
   * of the node itself, as `exec:NAME`.
   * @minLength 1
   * @maxLength 2048
   * @format uri
   * @example "https://splitter.example"
   */
  endpoint: string;
  /**
   * What it must be allowed to do in the collections that it works on.
   * @minItems 1
   * @example ["entity:view", "entity:create"]
   */
  actions_required: string[];
  accepts: PortBody;
  produces: PortBody;
  /** A JSON Schema (draft 6, 7, 2019-09 or 2020-12) that the `input` of an invocation must meet. */
  input_schema?: JsonMap;
}

export interface UpdateKladosBody extends ChangeBody {
  /**
   * Another one takes the verification away, and `status` returns to `development`, where `disabled` is not sent beside it.
   * @minLength 1
   * @maxLength 2048
   * @format uri
   */
  endpoint?: string;
  /** @minItems 1 */
  actions_required?: string[];
  accepts?: PortBody;
  produces?: PortBody;
  input_schema?: JsonMap;
}
