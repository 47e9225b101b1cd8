import type { NodeApi } from '../../kit/node-api.ts';
import type { Network } from '../../model/ids.ts';
import type { Manifest } from '../../model/manifest.ts';

/** The node as a local processor's job uses it: as that klados, with what it has been granted. */
export interface ProcessorNode extends NodeApi {
  /** How many bytes are kept; null where they are not here. */
  contentSize(cid: string): Promise<number | null>;
  /** Copies kept bytes to a path. */
  copyContent(cid: string, path: string): Promise<void>;
  /** Puts a file's bytes under a key of an entity. */
  putContent(entity: string, content: NewContentFile): Promise<void>;
  /** Whether it has written a version of an entity that is such a one, and none before `since`, epoch milliseconds. */
  hasWritten(entity: string, since: number, isSuch: (version: Manifest) => boolean): Promise<boolean>;
}

export interface NewContentFile {
  key: string;
  path: string;
  size: number;
  /** Null for what its bytes look like. */
  type: string | null;
  filename: string | undefined;
}

export interface ProcessorNodes {
  /** Its calls are refused (401) where the klados is disabled or deleted. */
  of(network: Network, klados: string): ProcessorNode;
  /** For the end of a job of a klados that is out: its calls go through, and all additions are there when they return. */
  last(network: Network, klados: string): ProcessorNode;
  /** For the end of a job whose permissions have ended: as the operator, whose klados it is. */
  late(network: Network): ProcessorNode;
  /** `out` is aborted once the klados is disabled or deleted; disposing ends the watch. */
  watch(network: Network, klados: string): Promise<Disposable & { out: AbortSignal }>;
  /** Whether it is disabled or deleted now. */
  isOut(network: Network, klados: string): Promise<boolean>;
  /** Whether the operator has made this klados on this node and given it this endpoint here. */
  isOperators(network: Network, klados: string, endpoint: string): Promise<boolean>;
}
