import { isMap, type Json, type JsonMap, member, renamed, withValue } from '../../entity/model/json.ts';

/** A flow as it is written: whatever else its steps say is kept. */
export interface FlowDraft {
  entry: string;
  flow: JsonMap;
}

/** What can follow a step. */
export const forms = ['done', 'pass', 'scatter', 'gather', 'recurse'] as const;
export type Form = (typeof forms)[number];

const knownOfThen = new Set<string>([...forms, 'route', 'max_depth']);

/** A route that items take which meet its condition; whatever else it says is kept. */
export type RouteRule = JsonMap & { where: Json; target: string };

/** A step as far as it can be read. */
export interface Step {
  name: string;
  klados: string | null;
  /** Null where it says none, or several. */
  form: Form | null;
  /** The step that follows. */
  target: string;
  maxDepth: number | null;
  routes: RouteRule[];
  /** What else is said of what follows. */
  more: JsonMap;
  input: JsonMap;
}

/** A way from one step to another. `route`: the rule that says so; null for the step's own. */
export interface FlowLink {
  id: string;
  source: string;
  target: string;
  form: Form;
  route: number | null;
  /** The rule's condition in short. */
  when: string | null;
}

/** What a route names to end an item. */
export const doneTarget = 'done';

/** A flow of what an entity or a typed text says; null for what is none. */
export function draftOf(value: Json | undefined): FlowDraft | null {
  if (!isMap(value)) return null;
  const flow = member(value, 'flow');
  const entry = member(value, 'entry');
  return isMap(flow) || flow === undefined ? { entry: typeof entry === 'string' ? entry : '', flow: flow ?? {} } : null;
}

/** The steps in their order. */
export function stepsOf({ flow }: FlowDraft): Step[] {
  return Object.entries(flow).map(([name, value]) => stepOf(name, value));
}

function stepOf(name: string, value: Json): Step {
  const step = isMap(value) ? value : {};
  const reference = member(step, 'klados');
  const id = isMap(reference) ? (member(reference, 'id') ?? member(reference, 'pi')) : undefined;
  const next = member(step, 'then');
  const then = isMap(next) ? next : {};
  const named = forms.filter((form) => Object.hasOwn(then, form));
  const form = named.length === 1 ? (named[0] ?? null) : null;
  const target = form === null ? undefined : then[form];
  const depth = member(then, 'max_depth');
  const input = member(step, 'input');
  return {
    name,
    klados: typeof id === 'string' && id !== '' ? id : null,
    form,
    target: typeof target === 'string' ? target : '',
    maxDepth: typeof depth === 'number' ? depth : null,
    routes: rulesOf(member(then, 'route')),
    more: Object.fromEntries(Object.entries(then).filter(([known]) => !knownOfThen.has(known))),
    input: isMap(input) ? input : {},
  };
}

function rulesOf(value: Json | undefined): RouteRule[] {
  if (!Array.isArray(value)) return [];
  return value.map((one) => {
    const rule = isMap(one) ? one : {};
    const target = member(rule, 'target');
    return { ...rule, where: member(rule, 'where') ?? null, target: typeof target === 'string' ? target : '' };
  });
}

/** All ways between steps that there are. */
export function linksOf(draft: FlowDraft): FlowLink[] {
  const there = (name: string) => Object.hasOwn(draft.flow, name);
  return stepsOf(draft).flatMap(({ name: source, form, target, routes }) => {
    if (form === null || form === 'done') return [];
    const own = there(target) ? [{ id: `${source} → ${target}`, source, target, form, route: null, when: null }] : [];
    const routed = routes.flatMap((rule, route) =>
      there(rule.target)
        ? [
            {
              id: `${source} ${route} → ${rule.target}`,
              source,
              target: rule.target,
              form,
              route,
              when: whenOf(rule.where),
            },
          ]
        : [],
    );
    return [...own, ...routed];
  });
}

/** A condition in short. */
export function whenOf(where: Json): string {
  const simple = simpleWhere(where);
  return simple ? `${simple.property} = ${shown(simple.equals)}` : JSON.stringify(where).slice(0, 60);
}

/** The condition on one property, if it is no more than that. */
export function simpleWhere(where: Json): { property: string; equals: Json } | null {
  if (!isMap(where) || Object.keys(where).length !== 2) return null;
  const [property, equals] = [member(where, 'property'), member(where, 'equals')];
  return typeof property === 'string' && equals !== undefined ? { property, equals } : null;
}

function shown(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** A name that no step has yet, made of a label. */
export function freeName(draft: FlowDraft, label: string): string {
  const plain = label
    .normalize('NFKD')
    .replace(/[^\p{L}\p{N}]+/gu, '-')
    .replace(/^-+|-+$/g, '')
    .toLowerCase()
    .slice(0, 40);
  const base = plain === '' || plain === doneTarget ? 'step' : plain;
  for (let i = 1; ; i++) {
    const name = i === 1 ? base : `${base}-${i}`;
    if (!Object.hasOwn(draft.flow, name)) return name;
  }
}

/** With a step at the end; the one it comes `after` leads to it, if that one ended there. The first is the entry. */
export function withStep(
  draft: FlowDraft,
  name: string,
  reference: { id: string; type: 'klados' | 'rhiza' },
  after: string | null,
): FlowDraft {
  const flow = Object.fromEntries([...Object.entries(draft.flow), [name, { klados: reference, then: { done: true } }]]);
  const added = { entry: draft.entry === '' ? name : draft.entry, flow };
  const before = after === null ? undefined : stepsOf(draft).find((step) => step.name === after);
  return before?.form === 'done' ? withThen(added, before.name, 'pass', name) : added;
}

/** With another member of a step; undefined takes it away. */
export function withMember(draft: FlowDraft, name: string, path: string[], value: Json | undefined): FlowDraft {
  return { ...draft, flow: withValue(draft.flow, [name, ...path], value) as JsonMap };
}

/** With what follows a step; the routes stay, where there can be some. */
export function withThen(draft: FlowDraft, name: string, form: Form, target: string): FlowDraft {
  const before = stepsOf(draft).find((step) => step.name === name);
  const { routes: route = [], more = {} } = before ?? {};
  const next: JsonMap = form === 'done' ? { done: true } : { [form]: target, ...(route.length > 0 ? { route } : {}) };
  const then = { ...next, ...more };
  if (form === 'recurse' && before?.form === 'recurse' && before.maxDepth !== null) then.max_depth = before.maxDepth;
  return withMember(draft, name, ['then'], then);
}

/** What a step said of what follows it, also where the way on that it has now leaves no room for that. */
export type Said = Pick<Step, 'target' | 'routes' | 'maxDepth'>;

/** What a step says, and what it said `before` of that which its way on has no room for. */
export function saidBy(step: Step, before: Said | undefined): Said {
  return {
    target: step.target || (before?.target ?? ''),
    routes: (step.form === 'done' && before?.routes) || step.routes,
    maxDepth: step.form === 'recurse' ? step.maxDepth : (before?.maxDepth ?? null),
  };
}

/** With another way on from a step, of which all is as it was `said` that is still there and can be said of this one. */
export function withForm(draft: FlowDraft, name: string, form: Form, said: Said): FlowDraft {
  const there = (one: string) => Object.hasOwn(draft.flow, one);
  const target = there(said.target) ? said.target : (Object.keys(draft.flow).find((one) => one !== name) ?? name);
  const next = withThen(draft, name, form, target);
  if (form === 'done') return next;
  const routes = said.routes.filter((rule) => rule.target === doneTarget || there(rule.target));
  const routed = withRoutes(next, name, routes);
  return form === 'recurse' ? withMember(routed, name, ['then', 'max_depth'], said.maxDepth ?? undefined) : routed;
}

/** With the routes of a step. */
export function withRoutes(draft: FlowDraft, name: string, routes: readonly RouteRule[]): FlowDraft {
  return withMember(draft, name, ['then', 'route'], routes.length === 0 ? undefined : [...routes]);
}

/** With a step under another name, everywhere. */
export function withName(draft: FlowDraft, from: string, to: string): FlowDraft {
  if (from === to || to === '' || Object.hasOwn(draft.flow, to)) return draft;
  const moved = { entry: draft.entry === from ? to : draft.entry, flow: renamed(draft.flow, from, to) };
  return redirected(moved, from, to);
}

/** Without a step: what led to it ends there, and its routes are gone. */
export function withoutStep(draft: FlowDraft, name: string): FlowDraft {
  const flow = Object.fromEntries(Object.entries(draft.flow).filter(([other]) => other !== name));
  const entry = draft.entry === name ? (Object.keys(flow)[0] ?? '') : draft.entry;
  return redirected({ entry, flow }, name, null);
}

function redirected(draft: FlowDraft, from: string, to: string | null): FlowDraft {
  return stepsOf(draft).reduce((now, { name, form, target, routes }) => {
    const kept = routes.flatMap((rule) => (rule.target !== from ? rule : to === null ? [] : { ...rule, target: to }));
    const changed = kept.length !== routes.length || kept.some((rule, i) => rule !== routes[i]);
    const rerouted = changed ? withRoutes(now, name, kept) : now;
    if (form === null || form === 'done' || target !== from) return rerouted;
    return to === null ? withThen(rerouted, name, 'done', '') : withThen(rerouted, name, form, to);
  }, draft);
}

/** With a way from one step to another, as when a line is drawn: one that ended goes on by passing. */
export function connected(draft: FlowDraft, source: string, target: string): FlowDraft {
  const step = stepsOf(draft).find(({ name }) => name === source);
  if (!step || !Object.hasOwn(draft.flow, target)) return draft;
  return withThen(draft, source, step.form === null || step.form === 'done' ? 'pass' : step.form, target);
}

/** Without a way. */
export function disconnected(draft: FlowDraft, { source, route }: Pick<FlowLink, 'source' | 'route'>): FlowDraft {
  if (route === null) return withThen(draft, source, 'done', '');
  const rules = stepsOf(draft).find(({ name }) => name === source)?.routes ?? [];
  return withRoutes(
    draft,
    source,
    rules.filter((_, i) => i !== route),
  );
}
