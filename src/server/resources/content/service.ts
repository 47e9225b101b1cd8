import { isContentCid } from '../../blocks/cid.ts';
import { type DomainError, type Issue, NotFoundError, PreconditionError, ValidationError } from '../../errors.ts';
import { type Caller, registered } from '../../model/caller.ts';
import {
  type ContentArrival,
  type ContentEntry,
  entriesOf,
  isOtherContent,
  withEntries,
} from '../../model/content-entries.ts';
import type { JsonObject, Manifest } from '../../model/manifest.ts';
import { replaced } from '../../model/next-version.ts';
import { isObject } from '../../model/objects.ts';
import type { Reader } from '../../store/connection.ts';
import { refuse, textIssues } from '../entities/body.ts';
import type { EntityWrites, Prepared } from '../entities/writes.ts';
import type { UploadsService } from '../node/transfers/service.ts';
import { checkLength, filesOf, receive, typeIssues, type Upload } from './intake.ts';
import type {
  CompleteUploadBody,
  ContentRemovedView,
  ContentRenamedView,
  ContentWrittenView,
  RenameContentBody,
  UploadUrlBody,
  UploadUrlView,
} from './wire.ts';

/** What becomes of an entity's content entries; `problem` is said after everything else is found right. */
interface Plan {
  properties: JsonObject;
  problem?: DomainError | undefined;
}

interface PlanOptions {
  /** The tip that the client states; undefined where the endpoint takes none. */
  expected?: string | undefined;
  /** CIDs whose bytes came with this write. */
  sent?: string[];
  /** Where the request names the content. */
  path?: string[];
}

/** Enters the content of entities that are too much for the event loop on another thread, as `ContentService.enter` does. */
export interface LargeContent {
  namesLarge(caller: Caller, named: { id: string }): boolean;
  enterContent(caller: Caller, arrival: ContentArrival): Promise<ContentWrittenView>;
}

/** The bytes that an entity holds under keys, `properties.content` (wire-contract.md 4.4). */
export class ContentService {
  readonly #writes: EntityWrites;
  readonly #uploads: UploadsService;
  readonly #large: LargeContent | null;

  constructor({
    writes,
    uploads,
    large,
  }: { writes: EntityWrites; uploads: UploadsService; large: LargeContent | null }) {
    this.#writes = writes;
    this.#uploads = uploads;
    this.#large = large;
  }

  /**
   * Receives bytes and writes their entry; whoever may not is told before a byte is read. Where it `isNew` it takes the place of
   * no other. @throws PreconditionError where one is there
   */
  async write(
    caller: Caller,
    id: string,
    { key, filename, isNew }: { key: string; filename?: string | undefined; isNew: boolean },
    upload: Upload,
  ): Promise<ContentWrittenView> {
    registered(caller);
    const { type } = upload;
    refuse([...textIssues({ key, filename }), ...(type === null ? noType : typeIssues({ 'content-type': type }))]);
    checkLength(upload, null);
    const store = await this.#writes.store(caller);
    const entry = (cid: string, size: number): ContentEntry => ({
      cid,
      size,
      content_type: type ?? '',
      ...(filename !== undefined && { filename }),
      uploaded_at: new Date(this.#writes.env.now()).toISOString(),
    });
    const enter = (content: ContentEntry, hasCome: boolean) => {
      const arrival = { id, key, isNew, content, hasCome };
      const large = this.#large?.namesLarge(caller, { id }) ? this.#large : null;
      return large ? large.enterContent(caller, arrival) : this.enter(caller, arrival);
    };
    await enter(entry('', 0), false);
    const { cid, size } = await receive(store, upload, null);
    const content = entry(cid, size);
    return this.#writes.queued(store, id, () => enter(content, true));
  }

  /** Enters content whose bytes have come; before that it only looks whether it could. @throws ConflictError where it comes too late */
  async enter(caller: Caller, { id, key, isNew, content, hasCome }: ContentArrival): Promise<ContentWrittenView> {
    const store = await this.#writes.store(caller);
    const plan = (base: Manifest) => (isNew ? added : entered)(base, key, content);
    const prepare = (db: Reader) => this.#prepare(db, caller, id, plan, { sent: [content.cid] });
    const step = hasCome ? await this.#writes.writeOne(store, prepare) : store.read(prepare);
    return { ...changed(step), content: { key, ...written(step, key) } };
  }

  async rename(caller: Caller, id: string, body: RenameContentBody): Promise<ContentRenamedView> {
    const { old_key, new_key, expect_tip } = body;
    let cid = '';
    const step = await this.#change(caller, id, textIssues({ old_key, new_key }), { expected: expect_tip }, (base) => {
      const entries = entriesOf(base);
      const entry = entries.get(old_key);
      cid = entry?.cid ?? '';
      const taken = ValidationError.at(['new_key'], `there is content under ${JSON.stringify(new_key)} already`);
      return {
        properties: withEntries(base.properties, (all) => all.map(([k, v]) => [k === old_key ? new_key : k, v])),
        problem: entry ? (isTaken(base, new_key) ? taken : undefined) : noContent(),
      };
    });
    return { ...changed(step), old_key, new_key, content_cid: cid };
  }

  async remove(
    caller: Caller,
    id: string,
    { key, cid }: { key?: string | undefined; cid?: string | undefined },
    expected: string,
  ): Promise<ContentRemovedView> {
    const issues = textIssues({ key, cid });
    if ((key === undefined) === (cid === undefined))
      issues.push({ path: ['key'], message: 'name the content by `key` or by `cid`' });
    let removed = '';
    const step = await this.#change(caller, id, issues, { expected }, (base) => {
      const keys = [...entriesOf(base)].filter(([k, entry]) => k === key || entry.cid === cid).map(([k]) => k);
      removed = keys[0] ?? '';
      const several = ValidationError.at(
        ['cid'],
        `is under several keys (${keys.slice(0, 10).join(', ')}): name the key`,
      );
      return {
        properties: withEntries(base.properties, (all) => all.filter(([k]) => k !== removed)),
        problem: keys.length === 0 ? noContent() : keys.length > 1 ? several : undefined,
      };
    });
    return { ...changed(step), removed_key: removed };
  }

  /** An address that takes bytes for the entity, for whoever may change it. */
  async uploadUrl(caller: Caller, id: string, body: UploadUrlBody, host: string): Promise<UploadUrlView> {
    registered(caller);
    const { cid, content_type: type, size } = body;
    refuse([...contentIssues(cid), ...typeIssues({ content_type: type })]);
    const store = await this.#writes.store(caller);
    store.read((db) => this.#prepare(db, caller, id, ({ properties }) => ({ properties })));
    const { url, expires } = await this.#uploads.offer(store, { entity: id, cid, file_key: null, type, size }, host);
    return { upload_url: url, r2_key: `${id}/${cid}`, expires_at: expires };
  }

  /** Writes the entry of bytes that came to an address, or that an entity holds which the caller may view. */
  async complete(caller: Caller, id: string, body: CompleteUploadBody): Promise<ContentWrittenView> {
    registered(caller);
    const { key, cid, size, content_type, filename, expect_tip } = body;
    const issues = [...contentIssues(cid), ...textIssues({ key, filename }), ...typeIssues({ content_type })];
    refuse(issues);
    const store = await this.#writes.store(caller);
    const kept = await filesOf(store).size(cid);
    const content: ContentEntry = {
      cid,
      size,
      content_type,
      ...(filename !== undefined && { filename }),
      uploaded_at: new Date(this.#writes.env.now()).toISOString(),
    };
    const missing = ValidationError.at(['cid'], 'its bytes are not here: PUT them to the address of upload-url first');
    const other = ValidationError.at(['size'], `the bytes are ${kept}`);
    const problem = kept === undefined ? missing : kept !== size ? other : undefined;
    const step = await this.#change(caller, id, [], { expected: expect_tip, path: ['cid'] }, (base) => ({
      problem,
      ...entered(base, key, content),
    }));
    return { ...changed(step), content: { key, ...written(step, key) } };
  }

  async #change(
    caller: Caller,
    id: string,
    issues: Issue[],
    options: PlanOptions,
    plan: (base: Manifest) => Plan,
  ): Promise<Prepared> {
    registered(caller);
    refuse(issues);
    const store = await this.#writes.store(caller);
    return this.#writes.writeOne(store, (db) => this.#prepare(db, caller, id, plan, options));
  }

  #prepare(
    db: Reader,
    caller: Caller,
    id: string,
    plan: (base: Manifest) => Plan,
    { expected, sent = [], path }: PlanOptions = {},
  ): Prepared {
    const base = this.#writes.standing(db, caller.network, id);
    const { properties, problem } = plan(base.manifest);
    const { relationships } = base.manifest;
    const stamp = this.#writes.stamp(registered(caller));
    const next = replaced(base.manifest, base.cid, { properties, relationships }, stamp);
    const permit = this.#writes.permit(db, caller, base, next, { sent });
    const issues = permit.issues.map((issue) => (path && issue.path[1] === 'content' ? { ...issue, path } : issue));
    const step = this.#writes.settle(db, base, next, expected, { ...permit, issues: problem ? [] : issues });
    if (problem) throw problem;
    return step;
  }
}

/** The last time that counts among those of entries; texts of later ones are in another order. */
const lastTime = Date.UTC(9999, 0);

/** When an entry is written: later than all others there, whatever the clock says, since the last one is what comes unasked. */
function timeAfter(base: Manifest, time: string): string {
  const others = [...entriesOf(base).values()].map(({ uploaded_at }) => Date.parse(String(uploaded_at)));
  const latest = Math.max(Date.parse(time), ...others.filter((other) => other < lastTime).map((other) => other + 1));
  return new Date(latest).toISOString();
}

/** The entry as it stands in the version. */
function written({ next }: Prepared, key: string): ContentEntry {
  return entriesOf(next).get(key) as JsonObject & ContentEntry;
}

function entered(base: Manifest, key: string, entry: ContentEntry): Plan {
  const value: [string, JsonObject] = [key, { ...entry, uploaded_at: timeAfter(base, entry.uploaded_at) }];
  return {
    properties: withEntries(base.properties, (all) =>
      all.some(([k]) => k === key) ? all.map((one) => (one[0] === key ? value : one)) : [...all, value],
    ),
    ...(isOtherContent(base) && {
      problem: ValidationError.at(['properties', 'content'], 'is no map of content: move it to another property first'),
    }),
  };
}

/** As `entered`, where nothing is under the key. */
function added(base: Manifest, key: string, entry: ContentEntry): Plan {
  const taken = new PreconditionError(`there is content under ${JSON.stringify(key)} already`, { key });
  return { ...(isTaken(base, key) && { problem: taken }), ...entered(base, key, entry) };
}

function isTaken({ properties }: Manifest, key: string): boolean {
  return isObject(properties.content) && Object.hasOwn(properties.content, key);
}

function changed({ cid, next }: Prepared) {
  return { id: next.id, cid, prev_cid: next.prev ?? '' };
}

function noContent(): NotFoundError {
  return NotFoundError.of('There is no such content: GET /entities/{id} lists it under properties.content');
}

function contentIssues(cid: string): Issue[] {
  return isContentCid(cid)
    ? []
    : [{ path: ['cid'], message: 'must be the CID of bytes: CIDv1, raw, sha2-256, base32 (bafkrei...)' }];
}

/** wire-contract.md 4.4, POST /entities/{id}/content. */
const noType: Issue[] = [
  {
    path: ['content-type'],
    message: 'is required: the media type of the bytes, as image/jpeg, or application/octet-stream for any',
  },
];
