import { BusyError, ValidationError } from '../../errors.ts';
import type { OutboundAnswer, OutboundRequest, Reach } from '../../jobs/outbound.ts';
import { OutboundError } from '../../jobs/outbound.ts';
import { userAgent } from '../../jobs/user-agent.ts';
import { type Caller, isOperator, registered } from '../../model/caller.ts';
import { below, commandOf, endpointFault } from '../../model/endpoints.ts';
import { maxOnLoop } from '../../model/large.ts';
import type { JsonObject, Manifest } from '../../model/manifest.ts';
import { applyUpdate } from '../../model/next-version.ts';
import type { Identity } from '../../store/accounts/identity.ts';
import type { VerificationToken } from '../../store/accounts/verifications.ts';
import type { Reader } from '../../store/connection.ts';
import { entitySize, type Standing, withManifest } from '../../store/entities.ts';
import type { NetworkStore } from '../../store/network-store.ts';
import { firstAuthor } from '../../store/versions.ts';
import type { EntityWrites, Prepared } from '../entities/writes.ts';
import { managedLive, type Served } from './managed.ts';
import { served, type VerificationFault } from './verification-answer.ts';

export interface VerificationNeeds {
  writes: EntityWrites;
  identity: Pick<Identity, 'verifications' | 'newVerificationToken'>;
  outbound: { request: (wanted: OutboundRequest) => Promise<OutboundAnswer> };
  /** Whose processors may have endpoints on this machine and in private networks. */
  privateEndpoints: 'operator' | 'everyone' | 'nobody';
  /** `<service>` on the wire. */
  service: string;
}

/** What a processor's endpoint must serve; `id` is the processor's. */
export interface Challenge {
  id: string;
  verification_token: string;
  endpoint: string;
  instructions: string;
  expires_at: string;
}

export type VerificationOutcome =
  | Challenge
  | { verified: true; verified_at: string }
  | { verified: false; error: VerificationFault; message: string };

const tokenLife = 3_600_000;
const fetchTimeout = 10_000;
const maxAnswer = 64 * 1024;
/** So many endpoints are waited for at once. */
const maxAtOnce = 32;

/** Shows that whoever registered an agent or klados has its endpoint in hand (processors.md 1). */
export class VerificationService {
  readonly #on: VerificationNeeds;
  #underWay = 0;

  constructor(needs: VerificationNeeds) {
    this.#on = needs;
  }

  /** With `confirm` the endpoint is asked; without, the token that it is to serve is answered, the same for an hour. */
  async verify(caller: Caller, type: Served, id: string, confirm: boolean): Promise<VerificationOutcome> {
    registered(caller);
    const store = await this.#on.writes.store(caller);
    const { endpoint, maker } = store.read((db) => ({
      endpoint: endpointOf(this.#standing(db, caller, type, id).manifest, type),
      maker: firstAuthor(db, id),
    }));
    if (!confirm) return this.#challenge(type, id, endpoint);
    const own = caller.actor.kind === 'user' && maker !== undefined && caller.actor.ids.includes(maker);
    return this.#confirm(caller, store, { type, id, endpoint, operators: own && isOperator(caller) });
  }

  /**
   * Which addresses requests to that endpoint of the processor may reach; null where this node has not verified it itself:
   * one that came verified by a mirror or an archive is asked nothing.
   */
  reachOf(id: string, endpoint: string): Reach | null {
    const verified = this.#on.identity.verifications.verified(id);
    return verified?.endpoint === endpoint ? this.#reach(verified.operators) : null;
  }

  #reach(operators: boolean): Reach {
    const { privateEndpoints } = this.#on;
    return privateEndpoints === 'everyone' || (privateEndpoints === 'operator' && operators) ? 'anywhere' : 'public';
  }

  #challenge(type: Served, id: string, endpoint: string): Challenge {
    const { identity } = this.#on;
    const { verifications } = identity;
    const now = this.#on.writes.env.now();
    const known = verifications.token(id);
    const good = known !== undefined && known.endpoint === endpoint && known.expires_at > now;
    const token = good
      ? known
      : { token: identity.newVerificationToken(), endpoint, created_at: now, expires_at: now + tokenLife };
    if (!good) verifications.putToken(id, token);
    const body = JSON.stringify({ verification_token: token.token, [`${type}_id`]: id });
    return {
      id,
      verification_token: token.token,
      endpoint,
      instructions:
        `Serve ${body} at ${this.#address(endpoint)} as application/json, then send {"confirm": true} to this ` +
        `address within the hour.`,
      expires_at: new Date(token.expires_at).toISOString(),
    };
  }

  #address(endpoint: string): string {
    return below(endpoint, `/.well-known/${this.#on.service}-verification`);
  }

  async #confirm(
    caller: Caller,
    store: NetworkStore,
    processor: { type: Served; id: string; endpoint: string; operators: boolean },
  ): Promise<VerificationOutcome> {
    const { type, id, endpoint, operators } = processor;
    const token = this.#on.identity.verifications.token(id);
    const now = this.#on.writes.env.now();
    if (!token || token.endpoint !== endpoint)
      return failed('no_token', 'There is no token for this endpoint: ask for one without `confirm`, and serve it.');
    if (token.expires_at <= now)
      return failed('token_expired', 'The token is older than an hour: ask for another without `confirm`.');
    const fault = await this.#ask(type, id, token, this.#reach(operators));
    if (fault) return fault;
    const verified_at = this.#on.writes.env.now();
    // First what this node knows, which means nothing without the version that says so.
    this.#on.identity.verifications.putVerified(id, { endpoint, verified_at, operators });
    const written = await this.#on.writes.queued(store, id, () =>
      this.#on.writes.write(
        store,
        (db): { steps: Prepared[] } => {
          const step = this.#step(db, caller, processor, verified_at);
          return { steps: step ? [step] : [] };
        },
        true,
      ),
    );
    if (written.steps.length === 0)
      return failed('no_token', 'The endpoint was changed meanwhile: ask for a token for the new one.');
    this.#on.identity.verifications.dropToken(id);
    return { verified: true, verified_at: new Date(verified_at).toISOString() };
  }

  async #ask(type: Served, id: string, token: VerificationToken, reach: Reach) {
    const url = this.#address(token.endpoint);
    if (this.#underWay >= maxAtOnce) throw new BusyError(5, 'Many endpoints are being verified; try again.');
    this.#underWay++;
    try {
      const headers = { Accept: 'application/json', 'User-Agent': userAgent(this.#on.service) };
      const limits = { timeoutMs: fetchTimeout, maxBytes: maxAnswer };
      const answer = await this.#on.outbound.request({ url, method: 'GET', headers, reach, ...limits });
      const fault = served(answer, { token: token.token, type, id });
      return fault && failed(fault.error, `${url} ${fault.message}`);
    } catch (error) {
      if (!(error instanceof OutboundError)) throw error;
      return failed('fetch_failed', `${url}: ${error.message}.`);
    } finally {
      this.#underWay--;
    }
  }

  /** A live processor that the caller may manage, with its manifest. @throws ValidationError where that is too large */
  #standing(db: Reader, caller: Caller, type: Served, id: string): Standing {
    const row = managedLive(this.#on.writes, db, caller, type, id);
    if (entitySize(db, id) > maxOnLoop)
      throw ValidationError.at(
        ['id'],
        `is too large: an endpoint is verified while its processor has at most ${maxOnLoop} bytes of JSON; make it smaller`,
      );
    return withManifest(db, row);
  }

  /** The version that says so; null where the endpoint has become another one. */
  #step(
    db: Reader,
    caller: Caller,
    { type, id, endpoint }: { type: Served; id: string; endpoint: string },
    at: number,
  ): Prepared | null {
    const base = this.#standing(db, caller, type, id);
    if (base.manifest.properties.endpoint !== endpoint) return null;
    const properties: JsonObject = { endpoint_verified_at: new Date(at).toISOString() };
    const stamp = this.#on.writes.stamp(registered(caller));
    const next = applyUpdate(base.manifest, base.cid, { properties }, stamp);
    return this.#on.writes.step(db, caller, base, next, undefined, { verifying: true });
  }
}

function failed(
  error: VerificationFault,
  message: string,
): { verified: false; error: VerificationFault; message: string } {
  return { verified: false, error, message };
}

/** @throws ValidationError where there is none that can be asked */
function endpointOf(manifest: Manifest, type: Served): string {
  const { endpoint } = manifest.properties;
  const fault = endpointFault(endpoint, type);
  if (fault !== null) throw ValidationError.at(['endpoint'], fault);
  if (commandOf(endpoint) !== null)
    throw ValidationError.at(['endpoint'], 'a command of the node needs no verification: set `status` to `active`');
  return endpoint as string;
}
