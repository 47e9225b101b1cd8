import { attestedLeaf } from '../../attest/entry.ts';
import { signedHead } from '../../attest/head.ts';
import { hashBytes, hashText, type Leaf } from '../../attest/leaf.ts';
import { subtreesOf } from '../../attest/log-subtrees.ts';
import type { AttestationLogs } from '../../attest/logs.ts';
import { consistencyPath, inclusionPath, rootOf } from '../../attest/merkle.ts';
import { proofText } from '../../attest/proof.ts';
import { NotFoundError, StorageError, ValidationError } from '../../errors.ts';
import { accepted, type Caller } from '../../model/caller.ts';
import { jsonOf } from '../../model/from-json.ts';
import type { Network } from '../../model/ids.ts';
import {
  type LeafRow,
  leafByHash,
  leafBySeq,
  leavesOfVersion,
  newestHead,
  nextAttested,
  publicKeyOf,
  type StoredHead,
} from '../../store/attest-log.ts';
import { movedTo } from '../../store/attested-moves.ts';
import { blockSize } from '../../store/blocks.ts';
import type { Reader } from '../../store/connection.ts';
import { type EntityRow, findEntity } from '../../store/entities.ts';
import type { NetworkStore } from '../../store/network-store.ts';
import type { Networks } from '../../store/networks.ts';
import { type CheckedBlock, checkedBlock } from '../../store/verify/checked-block.ts';
import { versionText } from '../../store/version-text.ts';
import { amongNumbered, hasVersionNumber } from '../../store/versions.ts';
import { checkNetwork } from '../entities/writes.ts';
import type { PermissionsService } from '../permissions/service.ts';
import type {
  AttestationHeadView,
  AttestationView,
  ConsistencyView,
  PendingAttestationView,
  SignedHeadView,
  TransactionView,
  VerifiedAttestationView,
} from './wire.ts';

/** Versions from this size on are read on a reader thread. */
const largeBytes = 128 * 1024;

const pending =
  'The version is recorded. The next signed head, within a second or two (some five while very many versions come), will cover it.';

/** An entry of the log with what it is of. */
interface Entry {
  row: LeafRow;
  leaf: Leaf;
}

/** What the node signs of what it knows (wire-contract.md 2.4). Entries count once a signed head covers them. */
export class AttestationsService {
  readonly #networks: Networks;
  readonly #permissions: PermissionsService;
  readonly #logs: AttestationLogs;
  readonly #publicUrl: string | null;

  constructor(needs: {
    networks: Networks;
    permissions: PermissionsService;
    logs: AttestationLogs;
    publicUrl: string | null;
  }) {
    this.#networks = needs.networks;
    this.#permissions = needs.permissions;
    this.#logs = needs.logs;
    this.#publicUrl = needs.publicUrl;
  }

  /** `address` is where the request reached the node; 202 where the tip is not attested yet. */
  async ofEntity(
    caller: Caller,
    id: string,
    address: string,
  ): Promise<{ status: 200 | 202; body: AttestationView | PendingAttestationView }> {
    const store = await this.#networks.get(caller.network);
    return store.read((db) => {
      const entity = this.#visible(db, caller, id);
      const entry = this.#entryOf(db, store, entity, entity.ver);
      if (entry?.leaf.cid === entity.cid) return { status: 200, body: this.#view(entry, address) };
      const { ver, cid } = entity;
      return {
        status: 202,
        body: { id, pi: id, ver, cid, attestation_status: 'pending', message: this.#pending(store) },
      };
    });
  }

  async ofVersion(caller: Caller, id: string, ver: number, address: string): Promise<AttestationView> {
    const store = await this.#networks.get(caller.network);
    return store.read((db) => {
      const entity = this.#visible(db, caller, id);
      return this.#view(this.#requireEntry(db, store, entity, ver), address);
    });
  }

  async head(network: Network, address: string): Promise<AttestationHeadView> {
    const store = await this.#networks.get(network);
    const head = this.#head(store);
    const row = this.#logs.of(store).read((log) => leafBySeq(log, head.size));
    if (!row) throw new StorageError('The attestation log is damaged. Run `archeion verify`.');
    const tx = hashText(row.hash);
    const { permastore_url, arweave_url, arweave_net_url } = this.#transaction(tx, address);
    return { seq: head.size, tx, permastore_url, arweave_url, arweave_net_url };
  }

  async verify(caller: Caller, tx: string): Promise<VerifiedAttestationView> {
    const store = await this.#networks.get(caller.network);
    const row = this.#rowOf(store, tx);
    const { leaf, key, size, entity, vis } = store.read((db) => {
      const leaf = attestedLeaf(db, row);
      const key = movedTo(db, row.seq) ?? 0;
      const entity = findEntity(db, leaf.pi);
      const open = entity && this.#permissions.may(db, { kind: 'anonymous' }, 'entity:view', entity);
      return { leaf, key, size: blockSize(db, key), entity, vis: open ? ('pub' as const) : ('priv' as const) };
    });
    const checked: CheckedBlock =
      size > largeBytes
        ? (jsonOf(await store.readLong('checkedBlock', { key }, caller)) as CheckedBlock)
        : store.read((db) => checkedBlock(db, { key }));
    const { pi, ver, cid, op, prev_cid, ts, seq } = leaf;
    return {
      permastore_tx: tx,
      arweave_tx: tx,
      attestation: { id: pi, pi, ver, cid, op, vis, prev_cid, ts, seq },
      cid_valid: checked.valid,
      manifest_preview: { type: checked.type ?? entity?.type ?? '' },
    };
  }

  async signedHead(network: Network): Promise<SignedHeadView> {
    return signedHead(this.#head(await this.#networks.get(network)));
  }

  /** The JSON of a ProofView. By the entity and its version (its tip if omitted), or by the log's entry. */
  async proof(
    caller: Caller,
    of: { id: string | undefined; ver: number | undefined; tx: string | undefined },
  ): Promise<Uint8Array> {
    if ((of.id === undefined) === (of.tx === undefined) || (of.tx !== undefined && of.ver !== undefined))
      throw ValidationError.at([], 'either `id`, with or without `ver`, or `tx` is needed');
    const store = await this.#networks.get(caller.network);
    const { entry, key, size } = store.read((db) => {
      const entry =
        of.tx === undefined ? this.#entryByVersion(db, store, caller, of) : this.#entryByTx(db, store, of.tx);
      this.#visible(db, caller, entry.leaf.pi);
      const key = movedTo(db, entry.leaf.seq) ?? 0;
      return { entry, key, size: blockSize(db, key) };
    });
    const way = this.#logs.of(store).read((log) => {
      const head = newestHead(log);
      if (!head) throw noHead();
      const path = inclusionPath(subtreesOf(log), entry.leaf.seq - 1, head.size);
      return { head: signedHead(head), publicKey: publicKeyOf(log, head.key_id) ?? new Uint8Array(), path };
    });
    if (!way) throw noHead();
    const version =
      size > largeBytes
        ? await store.readLong('versionText', { key }, caller)
        : store.read((db) => versionText(db, { key }));
    return proofText({ ...way, leaf: entry.leaf }, version);
  }

  async consistency(network: Network, from: number, to: number | undefined): Promise<ConsistencyView> {
    const store = await this.#networks.get(network);
    const { size } = this.#head(store);
    const end = to ?? size;
    if (end > size) throw ValidationError.at(['to'], `must be at most ${size}, the size of the newest head`);
    if (from > end) throw ValidationError.at(['from'], `must be at most ${end}, the size of the later head`);
    const view = this.#logs.of(store).read((log) => {
      const subtrees = subtreesOf(log);
      const root = (of: number): string => hashText(rootOf(subtrees, of));
      const path = consistencyPath(subtrees, from, end).map(hashText);
      return { from, to: end, from_root: root(from), to_root: root(end), path };
    });
    if (!view) throw noHead();
    return view;
  }

  /** @throws ValidationError, NotFoundError, UnauthorizedError, ForbiddenError */
  #visible(db: Reader, caller: Caller, id: string): EntityRow {
    checkNetwork(caller.network, id, ['id']);
    const entity = findEntity(db, id);
    if (!entity) throw new NotFoundError();
    this.#permissions.require(db, accepted(caller), 'entity:view', entity);
    return entity;
  }

  #head(store: NetworkStore): StoredHead {
    const head = this.#logs.of(store).newestHead();
    if (!head) throw noHead();
    return head;
  }

  /** The newest entry of the version of that number, as far as a signed head goes; of several the one in the history counts. */
  #entryOf(db: Reader, store: NetworkStore, entity: EntityRow, ver: number): Entry | undefined {
    const rows = this.#logs.of(store).read((log) => {
      const head = newestHead(log);
      return head && leavesOfVersion(log, entity.key, ver, head.size);
    });
    const entries = (rows ?? []).map((row) => ({ row, leaf: attestedLeaf(db, row) }));
    const cid = amongNumbered(db, entity, ver);
    return cid === undefined ? entries[0] : entries.find(({ leaf }) => leaf.cid === cid);
  }

  /** @throws NotFoundError, with what is known instead */
  #requireEntry(db: Reader, store: NetworkStore, entity: EntityRow, ver: number): Entry {
    const entry = this.#entryOf(db, store, entity, ver);
    if (entry) return entry;
    if (!hasVersionNumber(db, entity.key, ver)) throw NotFoundError.of('There is no such version');
    const covering = this.#logs.of(store).read((log) => {
      const head = newestHead(log);
      return head && nextAttested(log, entity.key, ver, head.size);
    });
    if (covering === undefined) throw this.#notYet(store);
    // A mirrored history moves the tip once; its last version's chain of `prev` leads to the others.
    throw NotFoundError.of(
      `Version ${ver} was never the tip here, so it has no attestation of its own. Version ${covering} has one, which covers every version that its \`prev\` leads to.`,
      { next_attested: covering },
    );
  }

  #entryByVersion(
    db: Reader,
    store: NetworkStore,
    caller: Caller,
    { id = '', ver }: { id: string | undefined; ver: number | undefined },
  ): Entry {
    const entity = this.#visible(db, caller, id);
    const entry = this.#requireEntry(db, store, entity, ver ?? entity.ver);
    if (ver === undefined && entry.leaf.cid !== entity.cid) throw this.#notYet(store);
    return entry;
  }

  #notYet(store: NetworkStore): NotFoundError {
    return NotFoundError.of(`Not attested yet. ${this.#pending(store)}`, { attestation_status: 'pending' });
  }

  /** When a recorded version will be covered, or what keeps it from that. */
  #pending(store: NetworkStore): string {
    const { failure } = this.#logs.of(store);
    return failure ? `The version is recorded, but no head is signed now: ${failure.reason}` : pending;
  }

  #entryByTx(db: Reader, store: NetworkStore, tx: string): Entry {
    const row = this.#rowOf(store, tx);
    return { row, leaf: attestedLeaf(db, row) };
  }

  #rowOf(store: NetworkStore, tx: string): LeafRow {
    const hash = hashBytes(tx);
    const row =
      hash &&
      this.#logs.of(store).read((log) => {
        const leaf = leafByHash(log, hash);
        return leaf && leaf.seq <= (newestHead(log)?.size ?? 0) ? leaf : undefined;
      });
    if (!row) throw NotFoundError.of('There is no such attestation');
    return row;
  }

  #view({ row, leaf: { pi, ver, cid, ts, seq } }: Entry, address: string): AttestationView {
    return { id: pi, pi, ver, cid, ...this.#transaction(hashText(row.hash), address), ts, seq };
  }

  #transaction(tx: string, address: string): TransactionView {
    const url = `${this.#publicUrl ?? address}/attestations/verify/${tx}`;
    return { permastore_tx: tx, permastore_url: url, arweave_tx: tx, arweave_url: url, arweave_net_url: url };
  }
}

function noHead(): NotFoundError {
  return NotFoundError.of('Nothing is attested yet');
}
