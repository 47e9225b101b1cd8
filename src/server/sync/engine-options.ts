import type { Identity } from '../store/accounts/identity.ts';
import type { Networks } from '../store/networks.ts';
import type { Direction, RemoteScope, RemoteSettings } from '../store/remotes/sync-rows.ts';
import type { Environment } from './env-proxy.ts';
import type { FirstLook } from './first-look.ts';
import type { PullPreview } from './pull-preview.ts';
import type { PushPreview } from './push-pending.ts';

export interface SyncOptions {
  networks: Networks;
  identity: Pick<Identity, 'setAliases' | 'ensureOperator'>;
  /** The service's name on the wire. */
  service: string;
  /** This node's own instance id. */
  instance: string;
  now: () => number;
  /** Milliseconds that only grow. */
  clock: () => number;
  random: () => number;
  /** What stored keys of remotes are sealed with, as 32 bytes in base64url; null: they are stored as they are. */
  sealKey?: string | null;
  /** The share of what is mirrored that a run changes unasked, 0 to 1. */
  brake: number;
  /** Where a proxy may be named. */
  environment?: Environment;
  /** Milliseconds to wait before a request is sent again; tests give their own. */
  wait?: ((ms: number, signal: AbortSignal | undefined) => Promise<void>) | undefined;
  /** Milliseconds in each of which an answer brings something worthwhile; tests give their own. */
  answerWindow?: number | undefined;
}

export interface RunOptions {
  signal?: AbortSignal;
  /** Somebody has looked, and agrees to whatever it changes. */
  accept?: boolean;
  /** Nobody asked for it: what the remote failed at lately waits for its time. */
  unasked?: boolean;
}

/** What may be set of a remote; what is left out stays as it is. */
export type RemoteChange = Partial<RemoteSettings & RemoteScope>;

export interface NewRemote extends RemoteChange {
  name: string;
  url: string;
  key?: string | undefined;
  direction?: Direction | undefined;
}

/** What a sync would do. */
export interface Preview extends PullPreview {
  /** How much a first mirror is; null where it is not the first. */
  first: FirstLook | null;
  push: PushPreview[];
}
