import { EditorView } from '@codemirror/view';

const menu = { backgroundColor: 'var(--color-surface)', border: '1px solid var(--color-line)', borderRadius: '6px' };

/** The editor in the page's colours, which are those of the day and of the night by themselves. */
export const look = EditorView.theme({
  '&': { backgroundColor: 'var(--color-surface)', color: 'var(--color-ink)', fontSize: '0.875rem' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { fontFamily: 'var(--font-mono)', lineHeight: '1.6', maxHeight: '16rem', minHeight: '4.5rem' },
  '.cm-content': { padding: '8px 0', caretColor: 'var(--color-ink)' },
  '.cm-line': { padding: '0 12px' },
  '.cm-cursor, .cm-dropCursor': { borderLeftColor: 'var(--color-ink)' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground, .cm-content ::selection':
    { backgroundColor: 'var(--color-marked) !important', color: 'inherit' },
  '.cm-placeholder': { color: 'var(--color-quiet)', fontStyle: 'italic' },
  '.cm-matchingBracket, &.cm-focused .cm-matchingBracket': { backgroundColor: 'var(--color-accent-soft)' },
  '.cm-snippetField': { backgroundColor: 'var(--color-accent-soft)' },
  '.cm-snippetFieldPosition': { borderLeftColor: 'var(--color-accent)' },
  '.cm-tooltip': { ...menu, boxShadow: '0 8px 20px var(--color-shade)', color: 'var(--color-ink)' },
  '.cm-tooltip.cm-tooltip-autocomplete > ul': { fontFamily: 'var(--font-sans)', maxHeight: '18rem' },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li': { display: 'flex', gap: '1.5rem', padding: '3px 8px' },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li[aria-selected]': {
    backgroundColor: 'var(--color-accent-soft)',
    color: 'var(--color-ink)',
  },
  '.cm-completionLabel': { flex: '1' },
  '.cm-completionMatchedText': { textDecoration: 'none', fontWeight: '600' },
  '.cm-completionDetail': { color: 'var(--color-quiet)', fontStyle: 'normal', marginLeft: '0' },
  '.cm-lintRange-error': {
    backgroundImage: 'none',
    textDecoration: 'underline wavy var(--color-danger)',
    textDecorationSkipInk: 'none',
    textUnderlineOffset: '3px',
  },
  '.cm-lintPoint-error::after': { borderBottomColor: 'var(--color-danger)' },
  '.cm-diagnostic': { borderLeft: 'none', padding: '4px 10px', fontFamily: 'var(--font-sans)' },
  '.q-text': { color: 'var(--color-good)' },
  '.q-keyword, .q-scope': { color: 'var(--color-quiet)' },
  '.q-type': { color: 'var(--color-accent)', fontWeight: '600' },
  '.q-id': { color: 'var(--color-accent)' },
  '.q-relation': { color: 'var(--color-warning)', fontWeight: '600' },
  '.q-arrow, .q-sign': { color: 'var(--color-quiet)' },
  '.q-depth': { color: 'var(--color-warning)' },
  '.q-wrong': { color: 'var(--color-danger)' },
});
