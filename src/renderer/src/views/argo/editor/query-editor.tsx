import {
  autocompletion,
  closeBrackets,
  closeBracketsKeymap,
  closeCompletion,
  completionKeymap,
  completionStatus,
} from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { bracketMatching } from '@codemirror/language';
import { setDiagnostics } from '@codemirror/lint';
import { EditorState, Prec } from '@codemirror/state';
import { EditorView, keymap, placeholder } from '@codemirror/view';
import { type Ref, useEffect, useImperativeHandle, useRef } from 'react';
import { useTexts } from '../../../messages/texts.tsx';
import { styleNonce } from '../../../style-nonce.ts';
import { completions, type Names } from './completion.ts';
import { highlighting } from './highlighting.ts';
import { look } from './look.ts';

export interface QueryEditorHandle {
  focus(): void;
}

interface QueryEditorProps {
  ref?: Ref<QueryEditorHandle>;
  value: string;
  onChange(value: string): void;
  onRun(): void;
  /** What of the value the node could not read; it is underlined. */
  fault: { from: number; to: number; message: string } | null;
  names: Names;
}

/** Where a query is written: coloured, completed, and run by Mod-Enter. Escape leaves it for the results. */
export function QueryEditor({ ref, value, onChange, onRun, fault, names }: QueryEditorProps) {
  const { t, number, language } = useTexts();
  const place = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(undefined);
  const hadFocus = useRef(false);
  const now = useRef({ value, onChange, onRun, names });
  now.current = { value, onChange, onRun, names };
  useImperativeHandle(ref, () => ({ focus: () => view.current?.focus() }), []);

  // biome-ignore lint/correctness/useExhaustiveDependencies: it is made anew in another language alone
  useEffect(() => {
    const before = view.current;
    const run = () => {
      closeCompletion(made);
      now.current.onRun();
      return true;
    };
    const leave = () => {
      if (completionStatus(made.state) !== null) return false;
      made.contentDOM.blur();
      return true;
    };
    const made = new EditorView({
      parent: place.current!,
      state: EditorState.create({
        doc: now.current.value,
        selection: before?.state.selection ?? { anchor: now.current.value.length },
        extensions: [
          Prec.highest(keymap.of([{ key: 'Mod-Enter', run }])),
          autocompletion({ override: [completions(() => now.current.names, t, number)], icons: false }),
          keymap.of([...closeBracketsKeymap, ...completionKeymap, ...historyKeymap, ...defaultKeymap]),
          Prec.lowest(keymap.of([{ key: 'Escape', run: leave }])),
          history(),
          closeBrackets(),
          bracketMatching(),
          highlighting,
          look,
          placeholder(t('argo.placeholder')),
          EditorView.lineWrapping,
          EditorView.cspNonce.of(styleNonce),
          EditorView.contentAttributes.of({ 'aria-label': t('argo.editor'), spellcheck: 'false' }),
          EditorState.phrases.of({ Completions: t('argo.completions'), Diagnostics: t('argo.faults') }),
          EditorView.updateListener.of(({ docChanged, state }) => {
            if (docChanged) now.current.onChange(state.doc.toString());
          }),
        ],
      }),
    });
    view.current = made;
    if (hadFocus.current) made.focus();
    return () => {
      hadFocus.current = made.hasFocus;
      made.destroy();
    };
  }, [language]);

  useEffect(() => {
    const made = view.current;
    if (!made || made.state.doc.toString() === value) return;
    made.dispatch({
      changes: { from: 0, to: made.state.doc.length, insert: value },
      selection: { anchor: value.length },
    });
  }, [value]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: it is marked when it has become another one
  useEffect(() => {
    const made = view.current;
    if (!made) return;
    made.dispatch(setDiagnostics(made.state, fault ? [{ ...fault, severity: 'error' }] : []));
    if (fault) made.dispatch({ selection: { anchor: fault.from } });
  }, [fault?.from, fault?.to, fault?.message, language]);

  return (
    <div
      ref={place}
      className="overflow-hidden rounded-md border border-edge bg-surface focus-within:outline-2 focus-within:outline-accent"
    />
  );
}
