import type { Caller } from '../../model/caller.ts';
import { checkFlow } from '../../model/flow-check.ts';
import type { WireManifest } from '../../model/wire-manifest.ts';
import type { Registry } from '../processors/registry.ts';
import type { CreateRhizaBody, FlowWarningView, UpdateRhizaBody } from './wire.ts';

export type RhizaManifest = WireManifest & { warnings?: FlowWarningView[] };

/** Rhizai: workflows over kladoi (interface.md, Rhizai). */
export class RhizaiService {
  readonly #registry: Registry;

  constructor(registry: Registry) {
    this.#registry = registry;
  }

  async create(caller: Caller, body: CreateRhizaBody): Promise<{ created: boolean; manifest: RhizaManifest }> {
    const { label, description, version, entry, flow } = body;
    const members = { label, description, version, entry, flow };
    const { created, manifest } = await this.#registry.create(caller, 'rhiza', body, members);
    return { created, manifest: warned(manifest) };
  }

  read(caller: Caller, id: string): Promise<string | Uint8Array> {
    return this.#registry.read(caller, id, 'rhiza');
  }

  async update(caller: Caller, id: string, body: UpdateRhizaBody): Promise<RhizaManifest> {
    const { label, description, status, version, entry, flow, ...cas } = body;
    const members = { label, description, status, version, entry, flow };
    return warned(await this.#registry.update(caller, id, 'rhiza', cas, members));
  }
}

/** With what of its flow is kept and looks like a mistake. */
function warned(manifest: WireManifest): RhizaManifest {
  const { warnings } = checkFlow(manifest.properties.entry, manifest.properties.flow);
  const told = warnings.map(({ code, path, message }) => ({ code, step: String(path[1]), message }));
  return told.length === 0 ? manifest : { ...manifest, warnings: told };
}
