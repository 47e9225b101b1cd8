import type { ClipboardEvent, DragEvent } from 'react';
import { flushSync } from 'react-dom';

/**
 * Gives what a field of one line is to call when something is pasted or dropped: several lines are kept, and the focus with
 * them, in the field of several lines that `change` makes of it. `id` is of both fields.
 */
export function keptLines(id: string, value: string, change: (value: string) => void) {
  const put = (event: ClipboardEvent | DragEvent, from: DataTransfer, start: number, end: number) => {
    // The end of a last line is nobody's: a cell of a spreadsheet is copied with one.
    const text = from.getData('text/plain').replace(/[\r\n]+$/, '');
    if (!/[\r\n]/.test(text)) return;
    // The browser would make blanks of the ends of lines.
    event.preventDefault();
    const lines = text.replaceAll(/\r\n|\r/g, '\n');
    const whole = `${value.slice(0, start)}${lines}${value.slice(end)}`;
    flushSync(() => change(whole));
    const field = document.getElementById(id);
    if (!(field instanceof HTMLTextAreaElement)) return;
    field.focus();
    // Put into the new field as by hand, so that undoing gives back what it took the place of.
    field.value = value;
    field.setSelectionRange(start, end);
    if (document.execCommand('insertText', false, lines) && field.value === whole) return;
    field.value = whole;
    field.setSelectionRange(start + lines.length, start + lines.length);
  };
  return {
    onPaste: (event: ClipboardEvent<HTMLInputElement>) => {
      const { selectionStart, selectionEnd } = event.currentTarget;
      put(event, event.clipboardData, selectionStart ?? value.length, selectionEnd ?? value.length);
    },
    onDrop: (event: DragEvent<HTMLInputElement>) => {
      const at = document.caretPositionFromPoint?.(event.clientX, event.clientY);
      const place = at?.offsetNode === event.currentTarget ? at.offset : value.length;
      put(event, event.dataTransfer, place, place);
    },
  };
}
