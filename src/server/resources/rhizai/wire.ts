import type { ChangeBody, RegisterBody } from '../processors/wire.ts';
import type { JsonMap, ManifestView, UpdatedView } from '../wire.ts';

/** Something of a flow that is kept, and looks like a mistake. */
export interface FlowWarningView {
  /** @example "UNREACHABLE_KLADOS" */
  code: string;
  /** The step. */
  step: string;
  message: string;
}

/** A rhiza's current version. Its properties are the members of the body that made it, and `status`. */
export interface RhizaView extends ManifestView {
  /** Of the flow; only where it was just written. */
  warnings?: FlowWarningView[];
}

export interface RhizaUpdatedView extends UpdatedView {
  /** Of the flow. */
  warnings?: FlowWarningView[];
}

export interface CreateRhizaBody extends RegisterBody {
  /**
   * A semantic version.
   * @minLength 1
   * @maxLength 50
   * @example "1.0.0"
   */
  version: string;
  /**
   * The name of the step that begins.
   * @minLength 1
   * @maxLength 100
   */
  entry: string;
  /**
   * Steps by name, at most 2,000. Each has `klados` (`{id, type?}`, a klados or a rhiza), `then` (one of `{done: true}`,
   * `{pass}`, `{scatter}`, `{gather}` and `{recurse, max_depth?}`, each with the name of the next step; all but `done`
   * with `route?`: a list of `{where, target}`), and `input?`, the step's own default.
   * @example {"split": {"klados": {"id": "01ARZ3NDEKTSV4RRFFQ69G5FAV", "type": "klados"}, "then": {"done": true}}}
   */
  flow: JsonMap;
}

export interface UpdateRhizaBody extends ChangeBody {
  /**
   * @minLength 1
   * @maxLength 50
   */
  version?: string;
  /**
   * @minLength 1
   * @maxLength 100
   */
  entry?: string;
  /** All steps: those that are not named are gone. */
  flow?: JsonMap;
}
