import { encodeManifest } from '../blocks/encode.ts';
import type { Issue } from '../errors.ts';
import { addsLinks } from '../model/folder-rules.ts';
import type { Manifest, Relationship } from '../model/manifest.ts';
import { firstVersion, replaced, type Stamp } from '../model/next-version.ts';
import type { Commit } from '../store/commit.ts';
import type { Reader } from '../store/connection.ts';
import type { ImportStanding } from '../store/imports/import-sources.ts';
import { type Version, versionByKey } from '../store/versions.ts';
import { type Draft, sourceDigest } from './draft.ts';
import { planOf } from './import-plan.ts';
import type { LeftAlone } from './import-tally.ts';
import { type Beyond, beyond } from './statements.ts';

/** Where the drafts go, and what of it does not change while they are written. */
export interface Destination {
  collection: string;
  /** The import, for what it made. */
  run: string;
  /** Whether the writer may make this step: throws ForbiddenError, or gives what is wrong with it. */
  allow: (db: Reader, step: { base: Manifest | null; next: Manifest }) => Issue[];
}

/** What becomes of one draft: nothing, a refusal, or a commit after which it counts as `done`. */
export type Step =
  | { kind: 'unchanged'; beyond: Beyond }
  | { kind: 'left_alone'; reason: LeftAlone['reason'] }
  | { kind: 'refused'; issues: Issue[] }
  | { kind: 'commit'; commit: Commit; done: 'created' | 'updated' | 'unchanged' };

/** One draft's step from what stands under its id, checked and hashed, not yet written. @throws ForbiddenError, ValidationError */
export function stepOf(
  db: Reader,
  draft: Draft,
  standing: ImportStanding | undefined,
  { collection, allow, run }: Destination,
  stamp: Stamp,
): Step {
  const digest = once(() => sourceDigest(draft));
  const tip = once(() => tipOf(db, standing as ImportStanding));
  const plan = planOf(draft.nested, standing, {
    digest,
    tip: () => ({ digest: digestOf(tip().manifest, collection), method: tip().manifest.edited_by.method }),
  });
  if (plan === 'unchanged') {
    // What an import made follows its sources; of what was edited here nobody expects it.
    const compared = draft.nested && standing?.untouched && standing.digest !== digest();
    return { kind: 'unchanged', beyond: compared ? beyondTip(db, draft, standing) : null };
  }
  if (typeof plan === 'object') return { kind: 'left_alone', reason: plan.leftAlone };
  const relationships = [placed(collection), ...draft.relationships];
  if (!standing) {
    const next = firstVersion({ ...draft, relationships }, stamp);
    return commitOf(db, { base: null, next, expect: null, digest: digest(), done: 'created', run }, allow, stamp);
  }
  const { cid, manifest: base } = tip();
  if (plan === 'follow')
    return { kind: 'commit', commit: rowCommit(draft.id, cid, digest(), stamp), done: 'unchanged' };
  if (base.type !== draft.type) return { kind: 'refused', issues: [typeIssue(base.type, draft.type)] };
  const next = replaced(base, cid, { properties: draft.properties, relationships }, stamp);
  return commitOf(
    db,
    { base, next, expect: cid, digest: digest(), done: plan === 'revive' ? 'created' : 'updated', run },
    allow,
    stamp,
  );
}

function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

function tipOf(db: Reader, { id, tip }: ImportStanding): Version {
  const version = versionByKey(db, tip);
  if (!version) throw new Error(`the tip of ${id} is missing`);
  return version;
}

/** What a mention says beyond what stands already, which it never changes. */
function beyondTip(db: Reader, draft: Draft, standing: ImportStanding): Beyond {
  const { properties, relationships } = tipOf(db, standing).manifest;
  return beyond({ sourceId: draft.sourceId, properties, relationships }, draft);
}

function placed(collection: string): Relationship {
  return { predicate: 'collection', peer: collection, peer_type: 'collection' };
}

/** The digest of what a version says beside its place in the collection. */
function digestOf({ type, properties, relationships }: Manifest, collection: string): string {
  const others = relationships.filter((r) => r.predicate !== 'collection' || r.peer !== collection);
  return sourceDigest({ type, properties, relationships: others });
}

function typeIssue(old: string, now: string): Issue {
  return { path: ['type'], message: `the entity has the type "${old}", which does not change to "${now}"` };
}

function commitOf(
  db: Reader,
  step: {
    base: Manifest | null;
    next: Manifest;
    expect: string | null;
    digest: string;
    done: 'created' | 'updated';
    run: string;
  },
  allow: Destination['allow'],
  stamp: Stamp,
): Step {
  const { base, next, expect, digest, done, run } = step;
  const issues = allow(db, { base, next });
  if (issues.length > 0) return { kind: 'refused', issues };
  const block = encodeManifest(next);
  const commit: Commit = {
    changes: [{ id: next.id, expect, tip: block.cid, blocks: [block], placed: addsLinks(base, next) }],
    preconditions: [],
    rows: [{ kind: 'import_source', id: next.id, digest, cid: block.cid, run, made: done === 'created' }],
    origin: 'import',
    time: Date.parse(stamp.ts),
  };
  return { kind: 'commit', commit, done };
}

/** Nothing but the note that this version is what the source says. */
function rowCommit(id: string, cid: string, digest: string, stamp: Stamp): Commit {
  return {
    changes: [],
    preconditions: [{ id, tip: cid }],
    rows: [{ kind: 'import_source', id, digest, cid }],
    origin: 'import',
    time: Date.parse(stamp.ts),
  };
}
