import {
  type Completion,
  type CompletionContext,
  type CompletionResult,
  snippetCompletion,
  startCompletion,
} from '@codemirror/autocomplete';
import type { EditorView } from '@codemirror/view';
import type { Texts } from '../../../messages/translate.ts';
import { expectedAt, type Part } from '../language/expected.ts';

/** What can be named in a query. Whoever writes before it has come gets it when it has. */
export interface Names {
  known(): Promise<{ types: readonly { type: string; count: number }[]; predicates: readonly string[] }>;
  /** Collections that a text may mean, the likeliest first; of none, all. */
  collections(text: string): Promise<readonly { id: string; label: string | null }[]>;
  /** Entities that a text may mean. */
  find(text: string): Promise<readonly { id: string; type: string; label: string }[]>;
}

/** The completion of queries: the language's own parts where they fit, and the names of what is on the node. */
export function completions(names: () => Names, t: Texts['t'], number: Texts['number']) {
  return async ({ state, pos, explicit }: CompletionContext): Promise<CompletionResult | null> => {
    const query = state.doc.toString();
    const expected = expectedAt(query, pos);
    if (expected === null) return null;
    const typed = query.slice(expected.from, pos);
    // What is offered unasked begins with a sign: it is in the way behind a space.
    if (!explicit && typed === '' && !/[:,[@(~<-]$/.test(query.slice(0, pos).trimEnd())) return null;
    const { from } = expected;
    const parts = expected.parts.flatMap((part) => partsOf(part, t));
    switch (expected.names) {
      case 'types':
        return {
          from,
          options: (await names().known()).types.map(({ type, count }, i) => ({
            ...named(type, number(count)),
            boost: -Math.min(i, 99),
          })),
        };
      case 'predicates':
        return {
          from,
          options: [...parts, ...(await names().known()).predicates.filter(isTerm).map((name) => named(name))],
        };
      case 'collections':
        return { from, filter: false, options: collections(await names().collections(typed)) };
      case 'entities':
        return { from, filter: false, options: (await names().find(typed)).map(entity) };
      case undefined:
        return parts.length === 0 ? null : { from, options: parts };
    }
  };
}

function isTerm(name: string): boolean {
  return /^[A-Za-z_]\w*$/.test(name);
}

/** A type's name; one with other signs stands in quotes. */
function named(name: string, detail?: string): Completion {
  const plain = /^\w+(?:[-.]\w+)*$/.test(name);
  const apply = plain ? name : `"${name.replaceAll(/["\\]/g, '\\$&')}"`;
  return { label: name.slice(0, 100), apply, ...(detail ? { detail } : {}) };
}

function collections(found: readonly { id: string; label: string | null }[]): Completion[] {
  return found.slice(0, 50).map(({ id, label }) => ({ label: label?.slice(0, 100) || id, apply: id }));
}

function entity({ id, type, label }: { id: string; type: string; label: string }): Completion {
  return { label: label.slice(0, 100) || id, detail: type.slice(0, 50), apply: id };
}

function partsOf(part: Part, t: Texts['t']): Completion[] {
  const snippet = (label: string, template: string, about: string) =>
    snippetCompletion(template, { label, detail: about });
  const opening = (label: string, about: string): Completion => ({ label, detail: about, apply: andOffer });
  switch (part) {
    case 'entry':
      return [
        opening('type:', t('argo.part.type')),
        snippet('"…"', '"#{}"', t('argo.part.text')),
        opening('@', t('argo.part.id')),
      ];
    case 'scope':
      return [
        snippet('@:collection()', '@:collection(#{}) ', t('argo.part.collection')),
        { label: '@:collections', detail: t('argo.part.collections'), apply: '@:collections ' },
        { label: '@:public', detail: t('argo.part.public'), apply: '@:public ' },
      ];
    case 'text':
      return [snippet('"…"', '"#{}"', t('argo.part.like'))];
    case 'like':
      return [snippet('~ "…"', '~ "#{}"', t('argo.part.like'))];
    case 'hop':
      return [
        snippet('-[*]->', '-[#{*}]-> #{}', t('argo.part.out')),
        snippet('<-[*]-', '<-[#{*}]- #{}', t('argo.part.in')),
        snippet('<-[*]->', '<-[#{*}]-> #{}', t('argo.part.both')),
      ];
    case 'any':
      return [{ label: '*', detail: t('argo.part.any') }];
    case 'depth':
      return [
        { label: '{2}', detail: t('argo.part.depthExact') },
        { label: '{,3}', detail: t('argo.part.depthMost') },
        { label: '{1,2}', detail: t('argo.part.depthRange') },
      ];
    case 'arrow to':
      return [{ label: '->', detail: t('argo.part.arrowTo'), apply: '-> ' }];
    case 'arrow back':
      return [{ label: '-', detail: t('argo.part.arrowBack'), apply: '- ' }];
  }
}

/** Puts in what was chosen, and offers what comes behind it. */
function andOffer(view: EditorView, { label }: Completion, from: number, to: number): void {
  view.dispatch({ changes: { from, to, insert: label }, selection: { anchor: from + label.length } });
  startCompletion(view);
}
