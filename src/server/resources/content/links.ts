import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Network } from '../../model/ids.ts';

/** What a link gives: the bytes of one CID that an entity holds. */
export interface LinkedContent {
  network: Network;
  entity: string;
  cid: string;
  /** Epoch milliseconds. */
  expires: number;
}

/** Addresses of content that need no credentials, signed with a secret that ends with the node's process. */
export class Links {
  readonly #secret: Uint8Array;

  constructor(secret: Uint8Array) {
    this.#secret = secret;
  }

  sign({ network, entity, cid, expires }: LinkedContent): string {
    const text = `${network}.${entity}.${cid}.${expires}`;
    return `${text}.${this.#mac(text).toString('base64url')}`;
  }

  /** What a token was signed for; undefined for any other text, and after it has expired. */
  read(token: string, now: number): LinkedContent | undefined {
    const end = token.lastIndexOf('.');
    const [network, entity = '', cid = '', expires] = token.slice(0, Math.max(end, 0)).split('.');
    const given = Buffer.from(token.slice(end + 1), 'base64url');
    const mac = this.#mac(token.slice(0, Math.max(end, 0)));
    if (given.length !== mac.length || !timingSafeEqual(given, mac)) return undefined;
    return Number(expires) < now ? undefined : { network: network as Network, entity, cid, expires: Number(expires) };
  }

  #mac(text: string): Buffer {
    return createHmac('sha256', this.#secret).update(text).digest();
  }
}
