import { fromJson } from '../../model/from-json.ts';
import { dropSameFork, keepForgotten } from '../archive/archive-rows.ts';
import { findBlock, putBlocks } from '../blocks.ts';
import type { Reader, Writer } from '../connection.ts';
import { ensureEntityKey, entityKey } from '../entity-keys.ts';
import { handMirrors } from './hand-mirrors.ts';
import { markElsewhere, notePending, rebuildBeside, rebuildPending } from './pending.ts';
import { freeForbidden, freeRefused, openedBy } from './push-refusals.ts';
import { applyContentRow, askContentsAgain, dropContents } from './remote-content.ts';
import { askForbiddenAgain, putTrouble } from './remote-troubles.ts';
import { noteSync, renameInLog } from './sync-log.ts';
import type { SyncRow } from './sync-rows.ts';
import { dropUnlisted, listAnew, putUnlisted } from './unlisted.ts';

/** As `remote_entity.apart` says it; 0 where they are not. */
const apartAs = { refused: 1, returned: 2 };

type RowOf<K extends SyncRow['kind']> = Extract<SyncRow, { kind: K }>;

/** Writes what sync keeps. A remote that has been removed meanwhile takes its rows with it. */
export function applySyncRow(db: Writer, row: SyncRow, time: number): void {
  if (row.kind === 'remote') {
    putRemote(db, row, time);
    return;
  }
  if (row.kind === 'conflict_decided') {
    noteSync(db, { time, remote: row.remote, kind: 'decided', id: row.id, detail: row.cid });
    return;
  }
  const remote = db.get<{ key: number }>('SELECT key FROM remote WHERE name = ?', row.remote)?.key;
  if (remote === undefined) return;
  switch (row.kind) {
    case 'remote_scope':
      putScope(db, remote, row);
      return;
    case 'content_there':
    case 'content_settled':
    case 'content_sending':
    case 'content_trouble':
      applyContentRow(db, remote, row);
      return;
    case 'remote_gone':
      dropRemote(db, remote, time);
      noteSync(db, { time, remote: row.remote, kind: 'removed' });
      return;
    case 'remote_renamed':
      rename(db, remote, row, time);
      return;
    case 'remote_key':
      putKey(db, remote, row, time);
      return;
    case 'remote_run':
      putRun(db, remote, row);
      if (row.notable) noteRun(db, row, time);
      return;
    case 'remote_settings':
      putSettings(db, remote, row, time);
      return;
    case 'feed_seen':
      cover(db, remote, row);
      return;
    case 'feed_swept':
      noteSweep(db, remote, row);
      return;
    case 'listing_failed':
      putUnlisted(db, remote, row, time);
      return;
    case 'listing_read':
      dropUnlisted(db, remote, row.collection);
      return;
    case 'push_mark':
      putMark(db, remote, row);
      return;
    case 'remote_forgot':
      forget(db, remote, row.id, time);
      return;
    case 'remote_tip':
      putTip(db, remote, row, time);
      return;
    case 'remote_trouble': {
      const entity = ensureEntityKey(db, row.id);
      putTrouble(db, { remote, entity, time }, row);
      notePending(db, entity);
      return;
    }
    case 'trouble_gone': {
      const entity = ensureEntityKey(db, row.id);
      db.run('DELETE FROM remote_entity WHERE remote = ? AND entity = ? AND theirs IS NULL', remote, entity);
      notePending(db, entity);
      return;
    }
    case 'push_intent':
      db.run(
        'INSERT OR REPLACE INTO push_intent (remote, entity, tip, expect, content) VALUES (?, ?, ?, ?, ?)',
        remote,
        ensureEntityKey(db, row.id),
        row.tip,
        row.expect,
        row.content,
      );
      return;
    case 'push_answered':
      db.run(
        'UPDATE push_intent SET answered = ? WHERE remote = ? AND entity = ?',
        row.status,
        remote,
        ensureEntityKey(db, row.id),
      );
      return;
    case 'push_void': {
      const entity = ensureEntityKey(db, row.id);
      db.run('DELETE FROM push_intent WHERE remote = ? AND entity = ?', remote, entity);
      notePending(db, entity);
      return;
    }
    case 'push_refusal': {
      const entity = ensureEntityKey(db, row.id);
      db.run(
        'INSERT OR REPLACE INTO push_refusal (remote, entity, tip, status, words) VALUES (?, ?, ?, ?, ?)',
        ...[remote, entity, row.tip, row.status, row.words],
      );
      if (row.request) {
        db.run('DELETE FROM push_intent WHERE remote = ? AND entity = ?', remote, entity);
        // It may have been deleted while it was sent.
        notePending(db, entity);
      }
      noteSync(db, { time, remote: row.remote, kind: 'refused', id: row.id, detail: `${row.status} ${row.words}` });
      return;
    }
    case 'sync_conflict':
      putConflict(db, remote, row, time);
  }
}

/** One that stands was found when it was found first, whatever became of its sides since. */
function putConflict(db: Writer, remote: number, row: RowOf<'sync_conflict'>, time: number): void {
  const entity = ensureEntityKey(db, row.id);
  const since = 'SELECT time FROM sync_conflict WHERE remote = ? AND entity = ?';
  const found = db.get<{ time: number }>(since, remote, entity)?.time;
  db.run(
    'INSERT OR REPLACE INTO sync_conflict (remote, entity, base, ours, theirs, time) VALUES (?, ?, ?, ?, ?, ?)',
    ...[remote, entity, row.base, row.ours, row.theirs, found ?? time],
  );
  dropSameFork(db, entity, row.theirs);
  if (found === undefined) noteSync(db, { time, remote: row.remote, kind: 'conflict', id: row.id, detail: row.theirs });
}

function putRemote(db: Writer, row: RowOf<'remote'>, time: number): void {
  const sql = 'SELECT instance, url FROM remote WHERE name = ?';
  const before = db.get<{ instance: string | null; url: string }>(sql, row.remote);
  if (before?.url !== row.url)
    noteSync(db, { time, remote: row.remote, kind: before ? 'moved' : 'added', detail: row.url });
  db.run(
    `INSERT INTO remote (name, url, secret, instance, user_id, direction) VALUES (?, ?, ?, ?, ?, ?)
       ON CONFLICT (name) DO UPDATE SET url = excluded.url, secret = excluded.secret, instance = excluded.instance,
         user_id = excluded.user_id, direction = excluded.direction`,
    row.remote,
    row.url,
    row.secret,
    row.instance,
    row.user,
    row.direction,
  );
  const remote = db.get<{ key: number }>('SELECT key FROM remote WHERE name = ?', row.remote)?.key ?? 0;
  putCollections(db, remote, row.collections);
  rebuildPending(db, remote);
  if (before && before.instance !== row.instance) rebuildBeside(db, remote);
}

function putKey(db: Writer, remote: number, row: RowOf<'remote_key'>, time: number): void {
  const { secret, user, direction } = row;
  const before = db.get<{ user_id: string | null }>('SELECT user_id FROM remote WHERE key = ?', remote)?.user_id;
  db.run('UPDATE remote SET secret = ?, user_id = ?, direction = ? WHERE key = ?', secret, user, direction, remote);
  noteSync(db, { time, remote: row.remote, kind: 'rekeyed', ...(user === null ? {} : { detail: user }) });
  // Somebody else may see and do what was refused to the one before.
  if (user !== before) unsee(db, remote);
  db.run('DELETE FROM push_refusal WHERE remote = ? AND status IN (401, 403)', remote);
  db.run('UPDATE remote_entity SET apart = 0 WHERE remote = ? AND apart <> 0', remote);
  db.run("UPDATE remote_entity SET again = ? WHERE remote = ? AND trouble = 'forbidden'", time, remote);
  askContentsAgain(db, remote);
  rebuildPending(db, remote);
}

function rename(db: Writer, remote: number, { remote: old, to }: RowOf<'remote_renamed'>, time: number): void {
  if (db.get('SELECT 1 FROM remote WHERE name = ?', to) !== undefined) return;
  db.run('UPDATE remote SET name = ? WHERE key = ?', to, remote);
  renameInLog(db, old, to);
  noteSync(db, { time, remote: to, kind: 'renamed', detail: old });
}

function putSettings(db: Writer, remote: number, row: RowOf<'remote_settings'>, time: number): void {
  const watch = row.watch ? 1 : 0;
  const before = db.get<{ watch: number }>('SELECT watch FROM remote WHERE key = ?', remote)?.watch;
  if (before !== watch) noteSync(db, { time, remote: row.remote, kind: row.watch ? 'watched' : 'unwatched' });
  db.run('UPDATE remote SET watch = ?, max_kbps = ?, hours = ? WHERE key = ?', watch, row.max_kbps, row.hours, remote);
}

function putCollections(db: Writer, remote: number, collections: string[]): void {
  db.run('DELETE FROM remote_collection WHERE remote = ?', remote);
  for (const id of collections)
    db.run(
      'INSERT OR IGNORE INTO remote_collection (remote, collection) VALUES (?, ?)',
      remote,
      ensureEntityKey(db, id),
    );
}

function putScope(db: Writer, remote: number, { collections, types, content, wider }: RowOf<'remote_scope'>): void {
  putCollections(db, remote, collections);
  const list = types.length > 0 ? JSON.stringify(types) : null;
  db.run('UPDATE remote SET types = ?, content = ? WHERE key = ?', list, content, remote);
  if (wider) unsee(db, remote);
  rebuildPending(db, remote);
}

function dropRemote(db: Writer, remote: number, time: number): void {
  const conflicts = 'SELECT entity FROM sync_conflict WHERE remote = ?';
  for (const { entity } of db.all<{ entity: number }>(conflicts, remote)) keepForgotten(db, remote, entity, null, time);
  db.run('DELETE FROM remote_collection WHERE remote = ?', remote);
  db.run('DELETE FROM remote_run WHERE remote = ?', remote);
  db.run('DELETE FROM remote_seen WHERE remote = ?', remote);
  db.run('DELETE FROM remote_unlisted WHERE remote = ?', remote);
  markElsewhere(db, remote);
  // Without it there may be no circle any more.
  db.run(
    'UPDATE remote_entity SET apart = 0 WHERE apart = 2 AND entity IN (SELECT entity FROM remote_entity WHERE remote = ?)',
    remote,
  );
  db.run('DELETE FROM remote_entity WHERE remote = ?', remote);
  dropContents(db, remote);
  db.run('DELETE FROM push_pending WHERE remote = ?', remote);
  db.run('DELETE FROM push_intent WHERE remote = ?', remote);
  db.run('DELETE FROM push_refusal WHERE remote = ?', remote);
  db.run('DELETE FROM sync_conflict WHERE remote = ?', remote);
  handMirrors(db, remote);
  db.run('DELETE FROM remote WHERE key = ?', remote);
  // What was left to two remotes, each with its own version, is the other one's again.
  rebuildBeside(db, remote);
}

function putRun(db: Writer, remote: number, row: RowOf<'remote_run'>): void {
  db.run(
    `INSERT INTO remote_run (remote, started, ended, report, error, head, level, held, fault)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT (remote) DO UPDATE SET started = excluded.started, ended = excluded.ended, report = excluded.report,
         error = excluded.error, held = excluded.held, fault = excluded.fault, head = coalesce(excluded.head, head), level = coalesce(excluded.level, level)`,
    remote,
    row.started,
    row.ended,
    row.report,
    row.error,
    row.head,
    row.level,
    row.held,
    row.fault,
  );
}

function noteRun(db: Writer, { remote, error, fault, started, report }: RowOf<'remote_run'>, time: number): void {
  const { stopped } = fromJson(report) as { stopped: string | null };
  const kind = error === null ? (stopped === null ? 'run' : 'stopped') : fault === 'ended' ? 'ended' : 'failed';
  noteSync(db, { time, remote, kind, detail: JSON.stringify({ started, error, fault, report: fromJson(report) }) });
}

/** Joins an interval with those of its kind that it meets, so that a whole feed is one row. */
function cover(db: Writer, remote: number, { first, last, cid, lost }: RowOf<'feed_seen'>): void {
  const kind = lost ? 1 : 0;
  const met = db.all<{ first: number; last: number; cid: string | null }>(
    'SELECT first, last, cid FROM remote_seen WHERE remote = ? AND lost = ? AND swept = 0 AND first <= ? AND last >= ?',
    remote,
    kind,
    last + 1,
    first - 1,
  );
  const highest = met.reduce((a, b) => (b.last > a.last ? b : a), { first, last, cid });
  for (const interval of met) db.run('DELETE FROM remote_seen WHERE remote = ? AND first = ?', remote, interval.first);
  db.run(
    'INSERT OR REPLACE INTO remote_seen (remote, first, last, cid, lost) VALUES (?, ?, ?, ?, ?)',
    remote,
    Math.min(first, ...met.map((interval) => interval.first)),
    highest.last,
    highest.cid,
    kind,
  );
}

function noteSweep(db: Writer, remote: number, { reset, uncatalogued }: RowOf<'feed_swept'>): void {
  if (!reset) {
    askContentsAgain(db, remote);
    // 2: but for what lies in collections that the remote does not list.
    db.run(
      'UPDATE remote_seen SET swept = ? WHERE remote = ? AND lost = 1 AND swept <> 1',
      uncatalogued ? 2 : 1,
      remote,
    );
    return;
  }
  // It may be another one, or an earlier one: which bytes it has is asked for anew.
  dropContents(db, remote);
  unsee(db, remote);
  db.run('UPDATE remote_entity SET event = 0, named = 0 WHERE remote = ?', remote);
  putMark(db, remote, { mark: null });
}

/** Nothing of a remote's feed has been dealt with any more. */
function unsee(db: Writer, remote: number): void {
  db.run('DELETE FROM remote_seen WHERE remote = ?', remote);
  db.run('UPDATE remote_run SET level = NULL WHERE remote = ?', remote);
}

function putMark(db: Writer, remote: number, { mark }: Pick<RowOf<'push_mark'>, 'mark'>): void {
  db.run('UPDATE remote SET mark = ?, mark_cid = ? WHERE key = ?', mark?.id ?? null, mark?.cid ?? null, remote);
}

function forget(db: Writer, remote: number, id: string, time: number): void {
  const entity = entityKey(db, id);
  if (entity === undefined) return;
  keepForgotten(db, remote, entity, null, time);
  for (const table of ['remote_entity', 'push_intent', 'push_refusal', 'sync_conflict'])
    db.run(`DELETE FROM ${table} WHERE remote = ? AND entity = ?`, remote, entity);
  dropContents(db, remote, entity);
  db.run("INSERT OR REPLACE INTO remote_mark (entity, remote, mark) VALUES (?, ?, 'forgotten')", entity, remote);
  notePending(db, entity);
}

function putTip(db: Writer, remote: number, row: RowOf<'remote_tip'>, time: number): void {
  const entity = ensureEntityKey(db, row.id);
  putBlocks(db, entity, row.blocks);
  const theirs = blockOf(db, entity, row.theirs);
  const twin = row.twin === row.theirs ? theirs : row.twin === null ? null : blockOf(db, entity, row.twin);
  freeRefused(db, remote, entity, theirs);
  const opened = row.event !== null && isOther(db, remote, entity, theirs) ? openedBy(db, entity) : [];
  if (opened.length > 0) {
    freeForbidden(db, remote, opened);
    askForbiddenAgain(db, remote, time);
    // Of what was not shown under a filter nothing is kept that could be asked for.
    for (const { key, id } of opened) if (isFilteredBy(db, remote, key)) listAnew(db, remote, id, time);
  } else if (row.event !== null && mayHaveBeenClosed(db, remote, entity, theirs)) listAnew(db, remote, row.id, time);
  db.run(
    `INSERT INTO remote_entity (remote, entity, event, theirs, twin, apart) VALUES (?, ?, ?, ?, ?, ?)
       ON CONFLICT (remote, entity) DO UPDATE SET event = max(event, excluded.event), theirs = excluded.theirs,
         twin = excluded.twin, apart = excluded.apart, trouble = NULL, evidence = NULL, again = NULL, tries = 0,
         named = 0`,
    remote,
    entity,
    row.event ?? 0,
    theirs,
    twin,
    row.apart ? apartAs[row.apart] : 0,
  );
  // Nothing of ours was sent, refused or in conflict where nothing of it was here.
  if (!row.mirrored) {
    keepForgotten(db, remote, entity, { theirs: row.theirs, reset: row.reset ?? false }, time);
    db.run('DELETE FROM remote_mark WHERE entity = ? AND remote = ?', entity, remote);
    askContentsAgain(db, remote, entity);
    for (const table of ['push_intent', 'push_refusal', ...(row.isConflict ? [] : ['sync_conflict'])])
      db.run(`DELETE FROM ${table} WHERE remote = ? AND entity = ?`, remote, entity);
  }
  if (row.mirrored)
    db.run("UPDATE entity SET mirror = ? WHERE key = ? AND type = 'collection' AND mirror IS NULL", remote, entity);
  notePending(db, entity);
}

/** Whether what was met there before, shown or not, has another version. */
function isOther(db: Reader, remote: number, entity: number, tip: number | null): boolean {
  const sql = 'SELECT theirs FROM remote_entity WHERE entity = ? AND remote = ?';
  const before = db.get<{ theirs: number | null }>(sql, entity, remote);
  return before !== undefined && before.theirs !== tip;
}

/** Whether a collection is met for the first time, and not as it was made, under a filter that keeps nothing of what is not shown. */
function mayHaveBeenClosed(db: Reader, remote: number, entity: number, tip: number | null): boolean {
  const isMet = db.get('SELECT 1 FROM remote_entity WHERE entity = ? AND remote = ?', entity, remote) !== undefined;
  if (isMet || !isCollection(db, entity) || !isFilteredBy(db, remote, entity)) return false;
  return db.get('SELECT 1 FROM block WHERE key = ? AND ver > 1', tip) !== undefined;
}

function isCollection(db: Reader, entity: number): boolean {
  return db.get("SELECT 1 FROM entity WHERE key = ? AND type = 'collection'", entity) !== undefined;
}

/** Whether what lies in a collection comes for that, while others stay away. */
function isFilteredBy(db: Reader, remote: number, collection: number): boolean {
  const chosen = 'SELECT 1 FROM remote_collection WHERE remote = ?';
  if (db.get(`${chosen} AND collection = ?`, remote, collection) !== undefined) return true;
  const isTyped = db.get('SELECT 1 FROM remote WHERE key = ? AND types IS NOT NULL', remote) !== undefined;
  return isTyped && db.get(`${chosen} LIMIT 1`, remote) === undefined;
}

/** Null for a version that is not stored: the caller's mistake must not cost the group its other commits. */
function blockOf(db: Reader, entity: number, cid: string): number | null {
  const block = findBlock(db, cid);
  return block?.entity === entity ? block.key : null;
}
