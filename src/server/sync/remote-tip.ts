import type { Reader } from '../store/connection.ts';
import { findVersion } from '../store/versions.ts';
import { contentHash, versionOf } from './content.ts';
import { type Decision, decide, type Merger } from './decide.ts';
import { type Loaded, relationOf } from './entity.ts';
import type { Chain } from './manifests.ts';
import { type EntityEvent, entityStep, type Version } from './state.ts';
import { looseHash } from './withheld.ts';

/**
 * What a remote's tip, read with its chain, makes of an entity. Where it says what a request made whose answer was lost,
 * that is taken for the answer first, and what stands above it for news.
 * @param version the tip as it is to be compared
 * @param reset the remote was reset
 */
export function decideTip(
  db: Reader,
  loaded: Loaded,
  chain: Chain,
  merger: Merger & { remote: { instance: string | null } },
  { version, reset = false }: { version: Version; reset?: boolean },
): Decision {
  const answer = reset ? null : lostAnswer(db, loaded, chain, merger.remote.user);
  if (answer?.version.cid === chain.cid) return decide(db, loaded.state, answer, chain, merger);
  const known = answer === null ? loaded : answered(loaded, answer);
  const relation = relationOf(db, known, chain, merger.remote.instance !== null, reset);
  return decide(db, known.state, { kind: 'seen', version, relation }, chain, merger);
}

type Answer = Extract<EntityEvent, { kind: 'answered' }>;

/** The answer that was lost: the first version over what the request expected, by the remote's user, and saying what it was to say. */
function lostAnswer(db: Reader, { known, state }: Loaded, chain: Chain, user: string | null): Answer | null {
  const { intent } = known;
  const [block] = chain.blocks;
  const [first] = chain.manifests;
  if (state.standing !== 'sending' || !intent || !block || !first) return null;
  if ((first.prev ?? null) !== intent.expect || first.edited_by.user_id !== user) return null;
  const version = versionOf(block.cid, first);
  // Nobody else creates this id; everything else is known by what it says.
  const isMade = intent.expect === null || [version.content, looseHash(first)].includes(intent.content);
  return isMade ? { kind: 'answered', version, sent: isPart(db, intent) ? null : intent.tip } : null;
}

/** Whether a request did not say all of the version for whose sake it was sent. */
function isPart(db: Reader, { tip, content }: { tip: string; content: string }): boolean {
  const meant = findVersion(db, tip);
  return content === '' || !meant || contentHash(meant.manifest) !== content;
}

function answered({ known, state }: Loaded, answer: Answer): Loaded {
  const next = entityStep(state, answer);
  return { state: next, known: { ...known, intent: null, theirs: answer.version.cid, twin: next.twin } };
}
