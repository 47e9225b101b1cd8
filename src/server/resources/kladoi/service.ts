import type { Caller } from '../../model/caller.ts';
import type { WireManifest } from '../../model/wire-manifest.ts';
import type { Registry } from '../processors/registry.ts';
import type { CreateKladosBody, UpdateKladosBody } from './wire.ts';

/** Kladoi: processors of one step (interface.md, Kladoi). */
export class KladoiService {
  readonly #registry: Registry;

  constructor(registry: Registry) {
    this.#registry = registry;
  }

  create(caller: Caller, body: CreateKladosBody): Promise<{ created: boolean; manifest: WireManifest }> {
    const { label, description, endpoint, actions_required, accepts, produces, input_schema } = body;
    const members = { label, description, endpoint, actions_required, accepts, produces, input_schema };
    return this.#registry.create(caller, 'klados', body, members);
  }

  read(caller: Caller, id: string): Promise<string | Uint8Array> {
    return this.#registry.read(caller, id, 'klados');
  }

  update(caller: Caller, id: string, body: UpdateKladosBody): Promise<WireManifest> {
    const { label, description, status, endpoint, actions_required, accepts, produces, input_schema, ...cas } = body;
    const members = { label, description, status, endpoint, actions_required, accepts, produces, input_schema };
    return this.#registry.update(caller, id, 'klados', cas, members);
  }
}
