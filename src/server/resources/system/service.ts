import { UnavailableError } from '../../errors.ts';
import { fromJson } from '../../model/from-json.ts';
import type { NodeKey } from '../../model/node-key.ts';
import { type ApiDocument, opsReference } from './ops-reference.ts';
import type { Health, NodeCard, SigningKeyView } from './wire.ts';

export interface SystemFacts {
  instance: string;
  version: string;
  /** The service's name on the wire. */
  service: string;
  /** The text of the OpenAPI document. */
  document: () => Promise<string>;
  nodeKey: NodeKey;
  /** Epoch milliseconds. */
  now: () => number;
}

/** Facts about the running node; the clock is the caller's. */
export class SystemService {
  private readonly instance: string;
  private readonly version: string;
  private readonly name: string;
  private readonly now: () => number;
  private readonly started: number;
  private readonly document: () => Promise<string>;
  private reference: string | undefined;
  private readonly signing: SigningKeyView;
  private isEnding = false;

  constructor(facts: SystemFacts) {
    this.instance = facts.instance;
    this.version = facts.version;
    this.name = facts.service;
    this.document = facts.document;
    const { id, publicKey } = facts.nodeKey;
    this.signing = { public_key: Buffer.from(publicKey).toString('base64'), algorithm: 'Ed25519', key_id: id };
    this.now = facts.now;
    this.started = facts.now();
  }

  /** @throws UnavailableError once the node ends */
  health(): Health {
    if (this.isEnding) throw new UnavailableError('The node is ending: start it again, or wait until it is.');
    const uptime_s = Math.max(0, Math.floor((this.now() - this.started) / 1000));
    return { status: 'ok', instance: this.instance, version: this.version, uptime_s };
  }

  /** From now on nobody finds the node by its health, though it answers what it is asked until it has closed. */
  end(): void {
    this.isEnding = true;
  }

  card(): NodeCard {
    const { instance, version, name: service } = this;
    return { instance, version, service, capabilities: [], sync: { blocks: 1, live: 1 } };
  }

  signingKey(): SigningKeyView {
    return this.signing;
  }

  /** The text of the OpenAPI document. */
  openapi(): Promise<string> {
    return this.document();
  }

  /** See ops-reference.ts. */
  async opsReference(): Promise<string> {
    this.reference ??= opsReference(fromJson(await this.document()) as ApiDocument);
    return this.reference;
  }
}
