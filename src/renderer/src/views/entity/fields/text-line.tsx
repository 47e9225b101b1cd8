import type { ClipboardEvent } from 'react';
import { flushSync } from 'react-dom';
import { Input } from '../../../components/field.tsx';
import { useForm } from './form.ts';
import { References } from './references.tsx';
import type { FieldProps } from './value-field.tsx';

/** A text of one line; what is pasted keeps its lines, in the field of several lines that it then becomes. */
export function TextLine({ path, value, ...props }: FieldProps<string>) {
  const { change } = useForm();
  const paste = (event: ClipboardEvent<HTMLInputElement>) => {
    // The end of a last line is nobody's: a cell of a spreadsheet is copied with one.
    const text = event.clipboardData.getData('text/plain').replace(/[\r\n]+$/, '');
    if (!/[\r\n]/.test(text)) return;
    // The browser would make blanks of the ends of lines.
    event.preventDefault();
    const { selectionStart, selectionEnd } = event.currentTarget;
    const before = `${value.slice(0, selectionStart ?? value.length)}${text.replaceAll(/\r\n|\r/g, '\n')}`;
    const after = value.slice(selectionEnd ?? value.length);
    flushSync(() => change(path, `${before}${after}`));
    const field = document.getElementById(props.id);
    if (!(field instanceof HTMLTextAreaElement)) return;
    field.focus();
    field.setSelectionRange(before.length, before.length);
  };
  return (
    <>
      <Input
        {...props}
        dir="auto"
        value={value}
        onChange={({ target }) => change(path, target.value)}
        onPaste={paste}
      />
      <References text={value} />
    </>
  );
}
