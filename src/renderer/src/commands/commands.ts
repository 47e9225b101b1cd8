import { useLayoutEffect, useRef } from 'react';
import { flushSync } from 'react-dom';
import { preferences } from '../preferences/preferences.ts';
import { isBare, pressesOf, pressName } from './keys.ts';

/** Something that can be done now, by a key, from the palette, or both. */
export interface Command {
  id: string;
  label: string;
  /** The heading under which it is listed. */
  group: string;
  /** See keys.ts; several are alternatives. */
  keys?: string[];
  run(): void;
  /** Moving about is for keys alone. */
  palette?: false;
  /** It goes on while its key is held, which else counts once. */
  goesOn?: true;
}

type Registered = { current: readonly Command[] };

// The one registered last is asked first: a screen's commands win over the shell's.
const registered: Registered[] = [];

/** Makes commands available while the component is there. */
export function useCommands(commands: readonly Command[]): void {
  const latest = useRef(commands);
  latest.current = commands;
  // Before the screen can be seen: whoever sees it may press a key.
  useLayoutEffect(() => {
    registered.push(latest);
    return () => {
      registered.splice(registered.indexOf(latest), 1);
    };
  }, []);
}

/** All that can be done now, the screen's own first. */
export function availableCommands(): Command[] {
  const all = registered.toReversed().flatMap(({ current }) => current);
  return [...new Map(all.toReversed().map((command) => [command.id, command])).values()].toReversed();
}

/** Between the two presses of a shortcut, in milliseconds: long enough for slow hands, and for a machine that is busy. */
const pause = 2000;
let before = { press: '', at: 0 };

/** Runs the command of a key press, if there is one. */
export function onKeyDown(event: KeyboardEvent): void {
  if (event.defaultPrevented || event.isComposing || isAutofill(event)) return;
  const press = pressName(event);
  const bare = isBare(press);
  // Nor is the button pressed that has come in the place of the one before, or a form sent again.
  if (event.repeat && press === 'Enter' && actsItself(event.target)) {
    event.preventDefault();
    return;
  }
  // The way out of a field, to where letters are shortcuts again.
  if (press === 'Escape' && isField(event.target) && !isModal()) {
    // Some browsers empty a field for searching by it.
    event.preventDefault();
    event.target.blur();
    return;
  }
  if (bare && (isTyping(event.target) || (['Enter', 'Space'].includes(press) && actsItself(event.target)))) return;
  // In a field it is what is typed there that is selected.
  if (press === 'Mod+a' && isTyping(event.target)) return;
  if (bare && press.length === 1 && press !== '?' && !preferences().letters) return;
  if (isModal() && press !== 'Mod+k') return;
  // Among choices of which one holds, the arrows go from one to the next.
  if (press.startsWith('Arrow') && event.target instanceof HTMLInputElement && event.target.type === 'radio') return;
  if (event.repeat) {
    const held = find(press);
    if (held) event.preventDefault();
    if (held?.goesOn) held.run();
    return;
  }
  const sequence = event.timeStamp - before.at < pause ? `${before.press} ${press}` : press;
  const wanted = () => find(sequence) ?? find(press);
  before = { press, at: event.timeStamp };
  if (!wanted()) return;
  event.preventDefault();
  before = { press: '', at: 0 };
  if (isField(event.target)) takeTyped(event.target);
  wanted()?.run();
}

/** Whether it only has the name of a key press: so browsers tell of a field that they have filled in. */
function isAutofill(event: Event): boolean {
  return !(event instanceof KeyboardEvent);
}

/** As if a field were left, for what is taken of it only then, such as a name: a shortcut that saves saves that, too. */
function takeTyped(field: HTMLElement): void {
  flushSync(() => field.blur());
  field.focus({ preventScroll: true });
}

function find(keys: string): Command | undefined {
  return availableCommands().find((command) => command.keys?.some((wanted) => pressesOf(wanted).join(' ') === keys));
}

function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  const still = ['button', 'checkbox', 'radio', 'submit'];
  if (target instanceof HTMLInputElement) return !still.includes(target.type);
  return target.isContentEditable || target.matches('textarea, select, [role="combobox"], [role="menu"] *');
}

function isField(target: EventTarget | null): target is HTMLElement {
  return isTyping(target) && !(target as HTMLElement).isContentEditable;
}

function actsItself(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.closest('a, button, summary, input') !== null;
}

function isModal(): boolean {
  return document.querySelector('[role="dialog"][data-state="open"], [role="alertdialog"], [role="menu"]') !== null;
}
