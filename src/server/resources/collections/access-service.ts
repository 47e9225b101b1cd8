import { type Issue, NotFoundError, ValidationError } from '../../errors.ts';
import { type Caller, registered } from '../../model/caller.ts';
import { countsAsGroup } from '../../model/groups.ts';
import type { Manifest } from '../../model/manifest.ts';
import { applyUpdate, type Update } from '../../model/next-version.ts';
import { accessOf, roleEntries, rolesOf } from '../../model/roles.ts';
import type { Reader } from '../../store/connection.ts';
import { isKnownTarget, peerFacts, type Standing } from '../../store/entities.ts';
import { refuse } from '../entities/body.ts';
import type { EntitiesService } from '../entities/service.ts';
import { checkNetwork, type EntityWrites } from '../entities/writes.ts';
import { findCollection, viewedCollection } from './lookup.ts';
import { addedMember, grantor, memberList, membership } from './members.ts';
import { completedRole, roleBodyIssues } from './roles.ts';
import type {
  AccessVersion,
  AddMemberBody,
  CreateRoleBody,
  MemberAddedView,
  MemberRemovedView,
  MembersView,
  RolesChangedView,
  RolesView,
} from './wire.ts';

const memberTypes = ['user', 'agent', 'klados', 'group'];

/** A change of roles or members. */
interface Plan {
  update: Update;
  /** What is wrong with the request, given what is there. */
  issues: Issue[];
  /** The request's member to which a refusal of the change itself is due. */
  member: string;
}
const openGroup = 'this group lies in no collection, so anybody could join it: put it into one first';

/** Roles and members of collections. What they allow is for model/guards.ts to say. */
export class CollectionAccessService {
  readonly #writes: EntityWrites;
  readonly #entities: EntitiesService;

  constructor({ writes, entities }: { writes: EntityWrites; entities: EntitiesService }) {
    this.#writes = writes;
    this.#entities = entities;
  }

  addRole(caller: Caller, id: string, { role, actions }: CreateRoleBody): Promise<RolesChangedView> {
    return this.#changeRoles(caller, id, roleBodyIssues(role, actions), (current) => {
      const exists = Object.hasOwn(roleEntries(current), role);
      return {
        update: { properties: { roles: { [role]: completedRole(role, actions) } } },
        issues: exists ? [{ path: ['role'], message: `there is a role ${role} already` }] : [],
        member: 'role',
      };
    });
  }

  setRole(caller: Caller, id: string, role: string, actions: string[]): Promise<RolesChangedView> {
    return this.#changeRoles(caller, id, roleBodyIssues(role, actions), (current) => {
      if (!Object.hasOwn(roleEntries(current), role)) throw NotFoundError.of('There is no such role');
      return {
        update: { properties: { roles: { [role]: completedRole(role, actions) } } },
        issues: [],
        member: 'actions',
      };
    });
  }

  /** The role's members go with it. */
  removeRole(caller: Caller, id: string, role: string): Promise<RolesChangedView> {
    return this.#changeRoles(caller, id, [], (current) => {
      if (!Object.hasOwn(roleEntries(current), role)) throw NotFoundError.of('There is no such role');
      const members = rolesOf(current).has(role) ? [{ predicate: role }] : [];
      return {
        update: { properties_remove: { roles: [role] }, relationships_remove: members },
        issues: role === 'public' ? [{ path: ['role'], message: 'the public role must stay' }] : [],
        member: 'role',
      };
    });
  }

  async #changeRoles(
    caller: Caller,
    id: string,
    bodyIssues: Issue[],
    plan: (current: Manifest) => Plan,
  ): Promise<RolesChangedView> {
    registered(caller);
    refuse(bodyIssues);
    const { version, next } = await this.#manage(caller, id, (_db, base) => plan(base.manifest));
    return { ...version, roles: roleEntries(next) as RolesView };
  }

  async members(caller: Caller, id: string, includeExpired: boolean): Promise<MembersView> {
    const store = await this.#writes.store(caller);
    return store.read((db) => {
      const { manifest } = viewedCollection({ writes: this.#writes, entities: this.#entities }, db, caller, id);
      const labelOf = (peer: string) => peerFacts(db, peer)?.label;
      return memberList(id, accessOf(manifest), { nowMs: this.#writes.env.now(), includeExpired, labelOf });
    });
  }

  async addMember(caller: Caller, id: string, { user_id, role, expires_in }: AddMemberBody): Promise<MemberAddedView> {
    const actor = registered(caller);
    const at = this.#writes.env.now();
    const expires = expires_in === undefined ? undefined : at + expires_in * 1000;
    checkNetwork(caller.network, user_id, ['user_id']);
    const { version, next } = await this.#manage(caller, id, (db, base) => {
      const { manifest } = base;
      const by = this.#writes.env.permissions.remoteUser(db, actor, base) ?? grantor(actor);
      const known = peerFacts(db, user_id);
      const open = known?.type === 'group' && !countsAsGroup({ ...known, deleted: false });
      const here = isKnownTarget(db, user_id) && memberTypes.includes(known?.type ?? 'user');
      return {
        update: {
          relationships_add: [membership({ role, peer: user_id, peerType: known?.type ?? 'user', by, at, expires })],
        },
        issues: [
          ...(rolesOf(manifest).has(role) ? [] : [{ path: ['role'], message: `there is no role ${role}` }]),
          ...(open ? [{ path: ['user_id'], message: openGroup }] : []),
          ...(here ? [] : [{ path: ['user_id'], message: `there is no user ${user_id}` }]),
        ],
        member: 'expires_in',
      };
    });
    return { ...version, member_added: addedMember(next, role, user_id) };
  }

  async removeMember(caller: Caller, id: string, userId: string, role: string): Promise<MemberRemovedView> {
    const { version } = await this.#manage(caller, id, (_db, { manifest }) => {
      const member = accessOf(manifest).members.some((m) => m.role === role && m.peer === userId);
      if (!member) throw NotFoundError.of('There is no member with that role');
      return { update: { relationships_remove: [{ predicate: role, peer: userId }] }, issues: [], member: 'userId' };
    });
    return { ...version, member_removed: { user_id: userId, role } };
  }

  /** A change of roles or members: queued, so it never conflicts; checked in the order of decisions.md. */
  async #manage(
    caller: Caller,
    id: string,
    plan: (db: Reader, base: Standing) => Plan,
  ): Promise<{ version: AccessVersion; next: Manifest }> {
    const actor = registered(caller);
    const store = await this.#writes.store(caller);
    return this.#writes.queued(store, id, async () => {
      const step = store.read((db) => {
        const base = findCollection(this.#writes, db, caller, id);
        this.#writes.env.permissions.require(db, actor, 'collection:manage', base);
        if (base.deleted) throw ValidationError.at(['id'], 'the entity is deleted');
        const { update, issues, member } = plan(db, base);
        refuse(issues);
        const next = applyUpdate(base.manifest, base.cid, update, this.#writes.stamp(actor));
        const locate = ({ message }: Issue): Issue => ({ path: [member], message });
        return this.#writes.step(db, caller, base, next, undefined, { locate });
      });
      await this.#writes.commit(store, [step]);
      const { cid, next } = step;
      return { version: { id, cid, prev_cid: next.prev ?? '', ver: next.ver }, next };
    });
  }
}
