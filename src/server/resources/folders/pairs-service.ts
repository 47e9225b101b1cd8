import { type Caller, registered } from '../../model/caller.ts';
import { wireManifest } from '../../model/wire-manifest.ts';
import { refuse, textIssues } from '../entities/body.ts';
import type { EntityView } from '../entities/wire.ts';
import type { EntityWrites } from '../entities/writes.ts';
import { type End, type PairedFolder, type PairWrite, type Partner, preparePairs } from './pairs.ts';
import type {
  AddChildBody,
  AddChildrenBody,
  AddParentBody,
  ChildVersion,
  FolderChildrenView,
  FolderChildView,
  FolderParentView,
  FolderView,
  RemoveChildBody,
  RemoveParentBody,
} from './wire.ts';

/** Folders and what is in them: both sides of a pair change in one commit, or none (decisions.md, Pairs). */
export class PairsService {
  readonly #writes: EntityWrites;

  constructor(writes: EntityWrites) {
    this.#writes = writes;
  }

  async addChild(caller: Caller, id: string, body: AddChildBody): Promise<FolderChildView> {
    const precondition = { name: 'expect_child_tip', expected: body.expect_child_tip };
    const partners = [{ id: body.child_id, path: ['child_id'] }];
    return childView(
      await this.#write(caller, { ...own(id, body), way: 'add', predicate: 'contains', partners, precondition }),
    );
  }

  async removeChild(caller: Caller, id: string, child: string, body: RemoveChildBody): Promise<FolderChildView> {
    const precondition = { name: 'expect_child_tip', expected: body.expect_child_tip };
    const partners = [{ id: child, path: ['childId'] }];
    const wanted: PairWrite = { ...own(id, body), way: 'remove', predicate: 'contains', partners, precondition };
    return childView(await this.#write(caller, wanted));
  }

  async addChildren(caller: Caller, id: string, body: AddChildrenBody): Promise<FolderChildrenView> {
    const first = new Map<string, number>();
    for (const [i, child] of body.children.entries()) if (!first.has(child.id)) first.set(child.id, i);
    const partners = [...first].map(([child, i]) => ({ id: child, path: ['children', i, 'id'] }));
    const wanted: PairWrite = { ...own(id, body), way: 'add', predicate: 'contains', partners };
    const { folder, partners: children } = await this.#write(caller, wanted);
    return {
      folder: manifestOf(folder) as FolderView,
      added: children.filter((child) => !child.whole).map(versionOf),
      skipped: children.filter((child) => child.whole).map(({ base }) => base.id),
    };
  }

  async addParent(caller: Caller, id: string, body: AddParentBody): Promise<FolderParentView> {
    const precondition = { name: 'expect_parent_tip', expected: body.expect_parent_tip };
    const partners = [{ id: body.parent_id, path: ['parent_id'] }];
    return parentView(
      await this.#write(caller, { ...own(id, body), way: 'add', predicate: 'in', partners, precondition }),
    );
  }

  async removeParent(caller: Caller, id: string, parent: string, body: RemoveParentBody): Promise<FolderParentView> {
    const precondition = { name: 'expect_parent_tip', expected: body.expect_parent_tip };
    const partners = [{ id: parent, path: ['parentId'] }];
    const wanted: PairWrite = { ...own(id, body), way: 'remove', predicate: 'in', partners, precondition };
    return parentView(await this.#write(caller, wanted));
  }

  /** What has moved meanwhile is prepared again, which compares the tips that were stated. */
  async #write(caller: Caller, wanted: PairWrite): Promise<PairedFolder> {
    registered(caller);
    const { id, note, way, partners } = wanted;
    const selves = partners.filter((partner) => partner.id === id);
    const message = way === 'add' ? `the folder ${id} would contain itself` : 'must be another entity';
    refuse([...textIssues({ note }), ...selves.map(({ path }) => ({ path, message }))]);
    const store = await this.#writes.store(caller);
    return this.#writes.write(store, (db) => preparePairs(this.#writes, db, caller, wanted), true);
  }
}

const own = (id: string, { expect_tip, note }: { expect_tip: string; note?: string }) => ({
  id,
  expected: expect_tip,
  ...(note !== undefined && { note }),
});

/** The version that an end has now. */
function manifestOf({ base, written }: End): EntityView {
  const { cid, manifest } = written ? { cid: written.cid, manifest: written.next } : base;
  return wireManifest(cid, manifest) as EntityView;
}

const versionOf = ({ base, written }: End): ChildVersion => ({ id: base.id, cid: written?.cid ?? base.cid });

function childView({ folder, partners }: PairedFolder): FolderChildView {
  return { folder: manifestOf(folder) as FolderView, child: versionOf(only(partners)) };
}

function parentView({ folder, partners }: PairedFolder): FolderParentView {
  return { folder: manifestOf(folder) as FolderView, parent: manifestOf(only(partners)) };
}

function only([partner]: Partner[]): Partner {
  if (!partner) throw new Error('a pair has a partner');
  return partner;
}
