import type { NamedView } from '../../jobs/wire.ts';
import type { EntityId } from '../../wire.ts';

/** What a klados takes or gives, as far as it says so. */
export interface PortLineView {
  types: string[];
  cardinality: 'one' | 'many';
}

/** A processor in a list; null for what it does not say, or what its kind does not have. */
export interface ProcessorLineView {
  id: EntityId;
  type: 'agent' | 'klados' | 'rhiza';
  label: string;
  description: string | null;
  /** `development`, `active` or `disabled`. */
  status: string | null;
  endpoint: string | null;
  endpoint_verified_at: string | null;
  accepts: PortLineView | null;
  produces: PortLineView | null;
  version: string | null;
  /** @isInt */
  steps: number | null;
  collection: NamedView | null;
  updated_at: string;
}

export interface ProcessorLinesView {
  /** By their labels. */
  processors: ProcessorLineView[];
  /** @isInt */
  total: number;
}

/** A command of this machine that kladoi of the operator may run. */
export interface CommandView {
  name: string;
  /** What a klados that runs it has as its endpoint. */
  endpoint: string;
  /**
   * How long one run may take.
   * @isInt
   */
  seconds: number;
  /**
   * How many of it run at once.
   * @isInt
   */
  at_once: number;
}

export interface CommandsView {
  commands: CommandView[];
}
