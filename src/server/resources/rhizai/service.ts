import type { Caller } from '../../model/caller.ts';
import type { WireManifest } from '../../model/wire-manifest.ts';
import type { Registry } from '../processors/registry.ts';
import type { CreateRhizaBody } from './wire.ts';

/** Rhizai: workflows over kladoi (interface.md, Rhizai). */
export class RhizaiService {
  readonly #registry: Registry;

  constructor(registry: Registry) {
    this.#registry = registry;
  }

  create(caller: Caller, body: CreateRhizaBody): Promise<{ created: boolean; manifest: WireManifest }> {
    const { label, description, version, entry, flow } = body;
    return this.#registry.create(caller, 'rhiza', body, { label, description, version, entry, flow });
  }

  read(caller: Caller, id: string): Promise<string | Uint8Array> {
    return this.#registry.read(caller, id, 'rhiza');
  }
}
