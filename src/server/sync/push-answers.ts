import type { Manifest } from '../model/manifest.ts';
import type { Reader } from '../store/connection.ts';
import { findVersion } from '../store/versions.ts';
import { isDeep, withAncestors } from './ancestors.ts';
import { commitsBetween } from './apply.ts';
import { contentHash, versionOf } from './content.ts';
import { decide } from './decide.ts';
import { type Loaded, loadEntity, relationOf } from './entity.ts';
import { wholeChain } from './long-chains.ts';
import { type Chain, fetchVersion, isUnusable } from './manifests.ts';
import type { PushContext } from './push-context.ts';
import type { RemoteAnswer } from './remote.ts';
import type { EntityEvent } from './state.ts';
import { readTip, readWritten } from './wire.ts';
import { looseHash } from './withheld.ts';

/** The version that a write made, fetched and hashed; its CID, null where it is not what it should be. */
export async function takeAnswer(
  ctx: PushContext,
  id: string,
  { body }: RemoteAnswer,
  sent: string | null | ((manifest: Manifest) => string | null),
): Promise<string | null> {
  const written = readWritten(body);
  if (written === null || (written.id !== undefined && written.id !== id)) return null;
  const chain = await fetchChain(ctx, id, written.cid);
  if (chain === null) return null;
  const says = typeof sent === 'function' ? sent(chain.manifest) : sent;
  const version = versionOf(chain.cid, chain.manifest);
  await settle(ctx, chain, () => ({ kind: 'answered', version, sent: says }));
  return chain.cid;
}

async function fetchChain(ctx: PushContext, id: string, cid: string): Promise<Chain | null> {
  const version = await fetchVersion(ctx.client, cid);
  if (isUnusable(version)) return null;
  const chain = await wholeChain(ctx, id, version);
  if (isUnusable(chain)) return null;
  return isDeep(chain) ? withAncestors(ctx, chain) : chain;
}

/** Reads the remote's tip and settles what is here with it; false where it has none, or still the one that is known. */
export async function readRemoteTip(ctx: PushContext, id: string): Promise<boolean> {
  const { status, body } = await ctx.client.read(`/entities/${id}/tip`);
  const tip = status === 200 ? readTip(body) : null;
  const { known, state } = ctx.store.read((db) => loadEntity(db, ctx.remote.key, id));
  if (tip === null || tip === state.theirs?.cid) return false;
  const chain = await fetchChain(ctx, id, tip);
  if (chain === null) return false;
  const version = versionOf(chain.cid, chain.manifest);
  const first = chain.manifests[0];
  const mine = first?.edited_by.user_id === ctx.remote.user && chain.blocks.length === 1;
  const before = state.standing;
  const standing = await settle(ctx, chain, (loaded, db) => {
    const { intent } = known;
    // Nobody else creates this id; and a part of what was sent is known by its content.
    if (intent?.expect === null && mine && version.ver === 1)
      return { kind: 'answered', version, sent: isPart(db, intent) ? null : intent.tip };
    const isMade = intent?.content === version.content || intent?.content === looseHash(chain.manifest);
    if (intent && mine && isMade && loaded.state.local?.content !== version.content)
      return { kind: 'answered', version, sent: null };
    return {
      kind: 'seen',
      version,
      relation: relationOf(db, loaded, chain, ctx.remote.instance !== null),
    };
  });
  if (standing === 'conflict' && before !== 'conflict') ctx.report.conflicts++;
  return true;
}

/** Whether a request that created an entity did not say all of it. */
function isPart(db: Reader, { tip, content }: { tip: string; content: string }): boolean {
  const meant = findVersion(db, tip);
  return content === '' || !meant || contentHash(meant.manifest) !== content;
}

/** Commits what an event makes of an entity, decided anew where the tip here moved meanwhile; how it then stands. */
export async function settle(ctx: PushContext, chain: Chain, event: (loaded: Loaded, db: Reader) => EntityEvent) {
  const { store, remote, now } = ctx;
  for (;;) {
    const { loaded, decision } = store.read((db) => {
      const found = loadEntity(db, remote.key, chain.head.id);
      return { loaded: found, decision: decide(db, found, event(found, db), chain, ctx) };
    });
    const commits = commitsBetween(loaded, decision.next, decision.chain, null, { remote: remote.name, time: now() });
    const outcomes = await store.submit(commits);
    const failure = outcomes.find((outcome) => !outcome.committed);
    if (!failure) {
      ctx.settled.add(chain.head.id);
      if (decision.merged) ctx.report.merged++;
      return decision.next.standing;
    }
    if (failure.committed === false && failure.refused !== undefined) throw new Error(failure.refused);
  }
}
