import { Decoration, EditorView } from '@codemirror/view';
import { type TokenKind, tokenize } from '../language/tokens.ts';

const marks = Object.fromEntries(
  (['text', 'keyword', 'scope', 'id', 'type', 'relation', 'arrow', 'depth', 'sign', 'wrong'] as TokenKind[]).map(
    (kind) => [kind, Decoration.mark({ class: `q-${kind}` })],
  ),
) as Record<TokenKind, Decoration>;

/** Colours the pieces of a query. A query is short: all of it is read anew with each change. */
export const highlighting = EditorView.decorations.compute(['doc'], ({ doc }) =>
  Decoration.set(tokenize(doc.toString()).tokens.map(({ kind, from, to }) => marks[kind].range(from, to))),
);
