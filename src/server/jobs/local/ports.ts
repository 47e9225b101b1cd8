import type { NodeApi } from '../../kit/node-api.ts';
import type { Network } from '../../model/ids.ts';

/** The node as a local processor's job uses it: as that klados, with what it has been granted. */
export interface ProcessorNode extends NodeApi {
  /** Copies kept bytes to a path; gives how many they are, null where they are not here. */
  copyContent(cid: string, path: string): Promise<number | null>;
  /** Puts a file's bytes under a key of an entity. */
  putContent(entity: string, content: NewContentFile): Promise<void>;
}

export interface NewContentFile {
  key: string;
  path: string;
  size: number;
  type: string | null;
  filename: string | undefined;
}

export interface ProcessorNodes {
  of(network: Network, klados: string): ProcessorNode;
  /** Whether the operator has made this klados on this node and given it this endpoint here. */
  isOperators(network: Network, klados: string, endpoint: string): Promise<boolean>;
}
