import type { IssuePath } from '../errors.ts';
import { beginningOf } from './cut-text.ts';
import { doneTarget, type ThenForm, thenForms } from './flow.ts';
import type { FlowCode, FlowFinding } from './flow-check.ts';
import { isEntityId, type Network, networkOf } from './ids.ts';

/** A way from one step to another. `path` is where it stands; `counted`: a `recurse`, which ends by its depth. */
export interface StepEdge {
  target: string;
  path: IssuePath;
  counted: boolean;
}

export interface StepFindings {
  findings: FlowFinding[];
  /** To steps that there are. */
  edges: StepEdge[];
}

/** So much is said of one flow: a hostile one must not make millions. */
export const maxFound = 100;

/** `names`: those of all steps; `self`: the workflow itself. */
interface Known {
  names: ReadonlySet<string>;
  network: Network | undefined;
  self: { id: string; entry: string } | undefined;
}

/** What is wrong with one step by itself and with what it names. */
export function stepFindings(name: string, step: unknown, known: Known): StepFindings {
  const check = new StepCheck(['flow', name], known);
  check.step(step);
  return check;
}

type Members = { [name: string]: unknown };

function members(value: unknown): Members | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Members) : null;
}

function own(of: Members | null, name: string): unknown {
  return of && Object.hasOwn(of, name) ? of[name] : undefined;
}

const conditions = '`{property, equals}`, `{and: [...]}` or `{or: [...]}`';

class StepCheck implements StepFindings {
  readonly findings: FlowFinding[] = [];
  readonly edges: StepEdge[] = [];
  readonly #at: IssuePath;
  readonly #names: ReadonlySet<string>;
  readonly #network: Network | undefined;
  readonly #self: Known['self'];

  constructor(at: IssuePath, { names, network, self }: Known) {
    this.#at = at;
    this.#names = names;
    this.#network = network;
    this.#self = self;
  }

  #tell(code: FlowCode, below: IssuePath, message: string): void {
    if (this.findings.length < maxFound) this.findings.push({ code, path: [...this.#at, ...below], message });
  }

  step(value: unknown): void {
    const step = members(value);
    this.#reference(members(own(step, 'klados')));
    const input = own(step, 'input');
    if (input !== undefined && members(input) === null) this.#tell('INVALID_INPUT', ['input'], 'must be an object');
    const next = own(step, 'then');
    if (next === undefined || next === null)
      this.#tell('MISSING_THEN', ['then'], 'say what follows: `{"done": true}`, or the next step');
    else this.#then(members(next));
  }

  #reference(reference: Members | null): void {
    const id = own(reference, 'id') ?? own(reference, 'pi');
    if (typeof id !== 'string' || !isEntityId(id))
      this.#tell('MISSING_KLADOS', ['klados'], 'name a klados or rhiza by its `id`');
    else if (this.#network !== undefined && networkOf(id) !== this.#network)
      this.#tell('MISSING_KLADOS', ['klados'], `is not an id of the ${this.#network} network`);
    else if (id === this.#self?.id)
      this.edges.push({ target: this.#self.entry, path: [...this.#at, 'klados'], counted: false });
    const type = own(reference, 'type');
    if (type !== undefined && type !== 'klados' && type !== 'rhiza')
      this.#tell('MISSING_KLADOS', ['klados', 'type'], 'must be `klados` or `rhiza`');
  }

  #then(next: Members | null): void {
    const forms = thenForms.filter((form) => own(next, form) !== undefined);
    const [form, another] = forms;
    if (next === null || form === undefined || (form === 'done' && next.done !== true)) {
      this.#tell('INVALID_HANDOFF', ['then'], `must have one of ${thenForms.join(', ')} (\`done\` as true)`);
      this.#tell('UNTERMINATED_PATH', [], 'leads nowhere: end it with `{"done": true}`, or name the next step');
      return;
    }
    if (another !== undefined)
      this.#tell('INVALID_HANDOFF', ['then'], `has ${forms.join(' and ')}: only one is possible`);
    else if (form !== 'done') this.#onward(next, form);
  }

  #onward(next: Members, form: ThenForm): void {
    this.#target(own(next, form), ['then', form], form);
    const depth = own(next, 'max_depth');
    if (form === 'recurse' && depth !== undefined && !(Number.isSafeInteger(depth) && (depth as number) >= 1))
      this.#tell('INVALID_MAX_DEPTH', ['then', 'max_depth'], 'must be an integer of at least 1');
    const route = own(next, 'route');
    if (route === undefined) return;
    if (Array.isArray(route)) for (const [i, rule] of route.entries()) this.#rule(rule, ['then', 'route', i], form);
    else this.#tell('INVALID_ROUTE_RULE', ['then', 'route'], 'must be a list of rules');
  }

  #rule(value: unknown, at: IssuePath, form: ThenForm): void {
    const rule = members(value);
    const where = own(rule, 'where');
    const target = own(rule, 'target');
    if (where === undefined) this.#tell('INVALID_ROUTE_RULE', [...at, 'where'], 'is required');
    else this.#where(where, [...at, 'where']);
    if (typeof target !== 'string')
      this.#tell('INVALID_ROUTE_RULE', [...at, 'target'], 'is required: the name of a step, or `done`');
    else if (target !== doneTarget || form === 'gather') this.#target(target, [...at, 'target'], form);
  }

  #target(target: unknown, at: IssuePath, form: ThenForm): void {
    if (typeof target !== 'string' || target === '') this.#tell('INVALID_TARGET', at, 'must be the name of a step');
    else if (this.#names.has(target))
      this.edges.push({ target, path: [...this.#at, ...at], counted: form === 'recurse' });
    else if (target === doneTarget)
      this.#tell('INVALID_TARGET', at, `\`${doneTarget}\` is a target of routes only, and not of those of a gather`);
    else this.#tell('INVALID_TARGET', at, `there is no step "${beginningOf(target, 100)}"`);
  }

  #where(value: unknown, at: IssuePath): void {
    const where = members(value);
    const kinds = ['property', 'and', 'or'].filter((kind) => own(where, kind) !== undefined);
    const [kind, another] = kinds;
    if (where === null || kind === undefined || another !== undefined) {
      this.#tell('INVALID_WHERE_CONDITION', at, `must be ${conditions}`);
      return;
    }
    const known = kind === 'property' ? ['property', 'equals'] : [kind];
    const other = Object.keys(where).find((name) => !known.includes(name));
    if (other !== undefined)
      this.#tell('INVALID_WHERE_CONDITION', [...at, other], `is unknown: a condition is ${conditions}`);
    if (kind === 'property') {
      this.#comparison(where, at);
      return;
    }
    const parts = where[kind];
    if (!Array.isArray(parts) || parts.length === 0)
      this.#tell('INVALID_WHERE_CONDITION', [...at, kind], 'must be a list of at least one condition');
    else for (const [i, part] of parts.entries()) this.#where(part, [...at, kind, i]);
  }

  #comparison(where: Members, at: IssuePath): void {
    if (typeof where.property !== 'string')
      this.#tell('INVALID_WHERE_CONDITION', [...at, 'property'], 'must be the path of a property, as `a.b`');
    const { equals } = where;
    if (equals !== null && !['string', 'number', 'boolean'].includes(typeof equals))
      this.#tell('INVALID_WHERE_CONDITION', [...at, 'equals'], 'must be a text, a number, true, false or null');
  }
}
