import { commandOf } from '../model/endpoints.ts';
import type { JsonObject, Manifest } from '../model/manifest.ts';
import { processorTypes } from '../model/processor-types.ts';
import { equalJson } from '../model/properties.ts';

/** Those with an endpoint, which each node verifies by itself. */
export const verifiable: readonly string[] = ['agent', 'klados'];

/**
 * A processor as far as the remote may take it at once. Its endpoint is as verified as it is there, since only the node that asked it
 * may say that, and it is active only where it is so there; a new one of any kind is in development, and its status follows as a
 * change. A command of this node is nothing to others: it is taken as it is or not at all, and then the permissions of its jobs end
 * by the clock here. The same object where nothing is left out.
 */
export function asTakenThere(local: Manifest, theirs: Manifest | null): Manifest {
  const verified = asVerifiedThere(local, theirs);
  const isCommand = commandOf(local.properties.endpoint) !== null;
  const isNew = theirs === null && processorTypes.includes(local.type) && !isCommand;
  if (!isNew || verified.properties.status === 'development') return verified;
  return { ...verified, properties: { ...verified.properties, status: 'development' } };
}

function asVerifiedThere(local: Manifest, theirs: Manifest | null): Manifest {
  const { endpoint_verified_at: verified = null, ...rest } = local.properties;
  if (!verifiable.includes(local.type) || verified === null) return local;
  const there: JsonObject = theirs?.properties ?? {};
  if (equalJson(verified, there.endpoint_verified_at ?? null)) return local;
  // With another endpoint it is verified there no more.
  const isSame = equalJson(rest.endpoint ?? null, there.endpoint ?? null);
  const { endpoint_verified_at, status = 'development' } = isSame ? there : {};
  const isHeld = theirs === null || rest.status === 'active';
  const properties = {
    ...rest,
    ...(isHeld && { status }),
    ...(endpoint_verified_at !== undefined && { endpoint_verified_at }),
  };
  return { ...local, properties };
}

export function verifiedHereWords({ properties }: Manifest, theirs: Manifest | null): string {
  const isVerified = (theirs?.properties.endpoint_verified_at ?? null) !== null;
  if (isVerified && properties.status === theirs?.properties.status)
    return 'When its endpoint was verified stays here: each node verifies by itself. All else of it was sent';
  const also = properties.status === 'active' ? ', and so that it is active,' : '';
  return `That its endpoint was verified${also} stays here: each node verifies by itself. All else of it was sent`;
}
