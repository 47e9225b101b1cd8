import type { ClipboardEvent } from 'react';
import { flushSync } from 'react-dom';

/**
 * Gives what a field of one line is to call when something is pasted: several lines are kept, and the focus with them, in the
 * field of several lines that `change` makes of it. `id` is of both fields.
 */
export function pastedLines(id: string, value: string, change: (value: string) => void) {
  return (event: ClipboardEvent<HTMLInputElement>) => {
    // The end of a last line is nobody's: a cell of a spreadsheet is copied with one.
    const text = event.clipboardData.getData('text/plain').replace(/[\r\n]+$/, '');
    if (!/[\r\n]/.test(text)) return;
    // The browser would make blanks of the ends of lines.
    event.preventDefault();
    const { selectionStart, selectionEnd } = event.currentTarget;
    const before = `${value.slice(0, selectionStart ?? value.length)}${text.replaceAll(/\r\n|\r/g, '\n')}`;
    const after = value.slice(selectionEnd ?? value.length);
    flushSync(() => change(`${before}${after}`));
    const field = document.getElementById(id);
    if (!(field instanceof HTMLTextAreaElement)) return;
    field.focus();
    field.setSelectionRange(before.length, before.length);
  };
}
