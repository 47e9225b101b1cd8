import type { ClipboardEvent, DragEvent } from 'react';
import { flushSync } from 'react-dom';

/**
 * A text as it is once `shown` stands in its field: a browser shows and gives lines that end in \n, whatever ends them. Outside of
 * what was typed each keeps its own end, and a new one gets that of the first.
 */
export function withLineEnds(text: string, shown: string): string {
  if (!text.includes('\r')) return shown;
  const signs = text.match(/\r\n|[\s\S]/g) ?? [];
  const before = signs.map((sign) => (sign === '\r\n' || sign === '\r' ? '\n' : sign));
  const most = Math.min(before.length, shown.length);
  let head = 0;
  while (head < most && before[head] === shown[head]) head++;
  let tail = 0;
  while (tail < most - head && before[before.length - 1 - tail] === shown[shown.length - 1 - tail]) tail++;
  const typed = shown.slice(head, shown.length - tail).replaceAll('\n', /\r\n|\r|\n/.exec(text)?.[0] ?? '\n');
  const parts = [signs.slice(0, head).join(''), typed, signs.slice(signs.length - tail).join('')];
  // Two ends of lines that come to stand together must not become one.
  return parts.reduce((all, part) => all + (all.endsWith('\r') && part.startsWith('\n') ? '\n' : '') + part);
}

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
