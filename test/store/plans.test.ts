import { expect, test } from 'vitest';
import { openReader, type Reader } from '../../src/server/store/connection.ts';
import { isHeld, isHeldBy } from '../../src/server/store/content/content-holders.ts';
import { movedAfter } from '../../src/server/store/events.ts';
import { collectionsLabelled } from '../../src/server/store/imports/import-sources.ts';
import { handedOn } from '../../src/server/store/jobs/handed-on.ts';
import { interruptedJobs } from '../../src/server/store/jobs/interrupted-jobs.ts';
import { grantsIn, longestGrantIn, queuedJobs, waitingJobs } from '../../src/server/store/jobs/jobs.ts';
import { conflictsOf, listConflicts } from '../../src/server/store/remotes/conflict-rows.ts';
import { countOpen, isMuchOpen } from '../../src/server/store/remotes/open-counts.ts';
import { dueContents, listContentTroubles } from '../../src/server/store/remotes/remote-content.ts';
import { dueTroubles } from '../../src/server/store/remotes/remote-troubles.ts';
import { hasPending, knownCollections, listTroubles } from '../../src/server/store/remotes/remotes.ts';
import { explaining } from '../helpers/plans.ts';
import { first, idOf, openStore, step } from '../helpers/store.ts';

// SQLite takes a partial index only where its condition stands in the query, and says nothing where it does not.

const contentCid = 'bafkreihdwdcefgh4dqkjv67uzcmw7ojee6xedzdetojuzjevtenxquvyku';
const none = { ids: [], processors: [] };

const reads: { name: string; read: (db: Reader) => unknown; uses: RegExp; sorts?: true }[] = [
  {
    name: 'jobs to be sent',
    read: (db) => queuedJobs(db, { after: 0, except: none, limit: 5, nowMs: 0 }),
    uses: /USING COVERING INDEX job_state \(state=\? AND key>\?\).*SEARCH job USING INDEX job_state \(state=\? AND key>\? AND key<\?\)/s,
  },
  {
    name: 'jobs that wait, and what they wait for',
    read: (db) => waitingJobs(db, { after: 0, last: 9, limit: 5 }),
    uses: /SEARCH job USING INDEX job_state \(state=\? AND key>\? AND key<\?\)/,
  },
  {
    name: 'jobs that a stop left',
    read: (db) => interruptedJobs(db, { after: 0, last: 9, limit: 5, nowMs: 0 }),
    uses: /MERGE \(UNION ALL\).*job_state \(state=\? AND key>\? AND key<\?\).*job_state \(state=\? AND key>\? AND key<\?\)/s,
  },
  {
    name: 'whether a job has handed on',
    read: (db) => handedOn(db, ['job_1']),
    uses: /SEARCH j EXISTS USING INDEX job_parent \(parent=\?\)\n.*SEARCH l USING COVERING INDEX job_log_job/s,
  },
  {
    name: 'troubles to be asked for again',
    read: (db) => dueTroubles(db, 1, { now: 0, limit: 5, knownOnly: true }),
    uses: /USING INDEX remote_entity_again \(remote=\? AND again<\?\).*USING INDEX remote_entity_again \(remote=\? AND again>\?\)/s,
    sorts: true,
  },
  {
    name: 'collections of a label',
    read: (db) => collectionsLabelled(db, 'x'),
    uses: /SEARCH entity USING INDEX entity_type \(type=\?\)/,
    sorts: true,
  },
  {
    name: 'the collections that a remote is known to have',
    read: (db) => knownCollections(db, 1),
    uses: /SEARCH e USING INDEX entity_type \(type=\?\)\nSEARCH k USING PRIMARY KEY/,
    sorts: true,
  },
  {
    name: 'the first troubles',
    read: (db) => listTroubles(db, 1, 5),
    uses: /SEARCH k USING INDEX remote_entity_trouble \(remote=\? AND trouble>\?\)\nSEARCH e USING INTEGER PRIMARY KEY/,
  },
  {
    name: 'the first conflicts',
    read: (db) => listConflicts(db, 5),
    uses: /SEARCH c USING PRIMARY KEY \(remote=\?\)\nSEARCH e USING INTEGER PRIMARY KEY/,
  },
  {
    name: 'the conflicts of an entity',
    read: (db) => conflictsOf(db, idOf(1)),
    uses: /SEARCH c USING PRIMARY KEY \(remote=\? AND entity=\?\)/,
  },
  {
    name: 'the first troubles with bytes',
    read: (db) => listContentTroubles(db, 1, 5),
    uses: /SEARCH c USING INDEX remote_content_open \(remote=\?\)\nSEARCH e USING INTEGER PRIMARY KEY/,
  },
  {
    name: 'bytes to be asked for again',
    read: (db) => dueContents(db, 1, 0),
    uses: /SEARCH c USING INDEX remote_content_open \(remote=\?\)/,
    sorts: true,
  },
  {
    name: 'whether a live entity holds content',
    read: (db) => isHeld(db, contentCid),
    uses: /SEARCH h USING PRIMARY KEY \(cid=\?\)\nSEARCH e USING INTEGER PRIMARY KEY/,
  },
  {
    name: 'whether one entity holds content',
    read: (db) => isHeldBy(db, contentCid, idOf(1)),
    uses: /SEARCH e USING INDEX .* \(id=\?\)\nSEARCH h USING COVERING INDEX content_entity \(entity=\? AND cid=\?\)/,
  },
  {
    name: 'the longest grant in a collection',
    read: (db) => longestGrantIn(db, idOf(1), 'p', 0),
    uses: /SEARCH g USING INDEX job_grant_processor .*\nCORRELATED SCALAR SUBQUERY 1\nSEARCH j USING INDEX job_run \(run=\?\)/,
  },
  {
    name: 'the grants in a collection',
    read: (db) => grantsIn(db, idOf(1), 'p', 0),
    uses: /SEARCH g USING INDEX job_grant_processor .*\nCORRELATED SCALAR SUBQUERY 1\nSEARCH j USING INDEX job_run \(run=\?\)/,
    sorts: true,
  },
  {
    name: 'whether much is open',
    read: (db) => isMuchOpen(db, 1, 5),
    uses: /USING COVERING INDEX remote_entity_trouble \(remote=\? AND trouble>\?\).*USING COVERING INDEX remote_content_open \(remote=\?\)/s,
  },
  {
    name: 'whether what has moved is to be pushed where much waits',
    read: (db) => hasPending(db, 1, 0),
    uses: /SEARCH moves USING INTEGER PRIMARY KEY \(rowid>\?\).*SEARCH p USING PRIMARY KEY \(remote=\? AND entity=\?\)/s,
    sorts: true,
  },
  {
    name: 'what has moved',
    read: (db) => movedAfter(db, 0),
    uses: /SEARCH moves USING INTEGER PRIMARY KEY \(rowid>\?\)/,
    sorts: true,
  },
  {
    name: 'how much is open',
    read: (db) => countOpen(db, 1),
    uses: /USING COVERING INDEX remote_entity_trouble \(remote=\? AND trouble>\?\).*USING COVERING INDEX remote_content_open \(remote=\?\)/s,
  },
];

test.each(reads)('$name: an index leads to what is read, and gives its order', async ({ read, uses, sorts }) => {
  await using opened = await openStore('here');
  await opened.store.submit([step(null, first(idOf(1)))]);
  // Conflicts are read remote by remote.
  opened.meddle("INSERT INTO sync_conflict (remote, entity, ours, theirs, time) SELECT 1, key, '', '', 0 FROM entity");
  opened.meddle(`WITH RECURSIVE much (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM much WHERE n < 501)
    INSERT INTO push_pending (remote, entity) SELECT 1, n FROM much`);
  const db = openReader(opened.file);
  try {
    const plans: string[] = [];
    read(explaining(db, plans));
    expect(plans.join('\n')).toMatch(uses);
    expect(plans.filter((line) => /^SCAN (?!m$|.*VIRTUAL TABLE|CONSTANT ROW)/.test(line))).toEqual([]);
    expect(plans.some((line) => line.includes('TEMP B-TREE'))).toBe(sorts ?? false);
  } finally {
    db.close();
  }
});
