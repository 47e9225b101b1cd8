import { ValidationError } from '../../errors.ts';
import type { Caller } from '../../model/caller.ts';
import { fromJson } from '../../model/from-json.ts';
import { subAgentsOf } from '../../model/sub-agents.ts';
import type { WireManifest } from '../../model/wire-manifest.ts';
import type { NetworkStore } from '../../store/network-store.ts';
import type { EntityWrites } from '../entities/writes.ts';
import type { Registry } from '../processors/registry.ts';
import { subAgentWarnings } from './sub-agents.ts';
import type { CreateAgentBody, SubAgentBody, SubAgentWarningView, UpdateAgentBody } from './wire.ts';

export type AgentManifest = WireManifest & { warnings: SubAgentWarningView[] };

/** Agents: processors that work on a whole collection, orchestrators among them (interface.md, Agents). */
export class AgentsService {
  readonly #registry: Registry;
  readonly #writes: EntityWrites;

  constructor(on: { registry: Registry; writes: EntityWrites }) {
    this.#registry = on.registry;
    this.#writes = on.writes;
  }

  async create(caller: Caller, body: CreateAgentBody): Promise<{ created: boolean; manifest: AgentManifest }> {
    const { label, description, endpoint, actions_required, input_schema, output_schema } = body;
    const uses_agents = references(body.uses_agents);
    const members = { label, description, endpoint, actions_required, uses_agents, input_schema, output_schema };
    const { created, manifest } = await this.#registry.create(caller, 'agent', body, members);
    return { created, manifest: await this.#warned(caller, manifest) };
  }

  /** Wire JSON: the stored one, with the warnings behind it. */
  async read(caller: Caller, id: string): Promise<string> {
    const stored = await this.#registry.read(caller, id, 'agent');
    const text = typeof stored === 'string' ? stored : Buffer.from(stored).toString();
    const used = text.includes('"uses_agents"') ? subAgentsOf((fromJson(text) as WireManifest).properties) : [];
    const warnings = warningsAbout(await this.#writes.store(caller), used);
    return `${text.slice(0, text.lastIndexOf('}'))},"warnings":${JSON.stringify(warnings)}}`;
  }

  async update(caller: Caller, id: string, body: UpdateAgentBody): Promise<AgentManifest> {
    const { label, description, status, endpoint, actions_required, input_schema, output_schema, ...rest } = body;
    const { uses_agents: used, ...cas } = rest;
    const typed = { label, description, status, endpoint, actions_required, input_schema, output_schema };
    const members = { ...typed, uses_agents: references(used) };
    return this.#warned(caller, await this.#registry.update(caller, id, 'agent', cas, members));
  }

  async #warned(caller: Caller, manifest: WireManifest): Promise<AgentManifest> {
    const warnings = warningsAbout(await this.#writes.store(caller), subAgentsOf(manifest.properties));
    return { ...manifest, warnings };
  }
}

function warningsAbout(store: NetworkStore, used: string[]): SubAgentWarningView[] {
  return used.length === 0 ? [] : store.read((db) => subAgentWarnings(db, used));
}

/** As they are stored: with `pi`, which is what public clients read (processors.md 4.4). @throws ValidationError */
function references(list: SubAgentBody[] | undefined): object[] | undefined {
  return list?.map(({ pi, id, label, description }, i) => {
    const named = pi ?? id;
    if (named === undefined) throw ValidationError.at(['uses_agents', i, 'pi'], 'is required: the id of an agent');
    if ((id ?? named) !== named) throw ValidationError.at(['uses_agents', i, 'id'], 'names another agent than `pi`');
    return { pi: named, ...(label !== undefined && { label }), ...(description !== undefined && { description }) };
  });
}
