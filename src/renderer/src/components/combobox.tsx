import { ChevronDown } from 'lucide-react';
import { type KeyboardEvent, type ReactNode, useId, useLayoutEffect, useRef, useState } from 'react';
import { Input } from './field.tsx';
import { onceHeld } from './once-held.ts';
import { pressedKey } from './pressed-key.ts';
import { useEarlyEnter } from './use-early-enter.ts';
import { useIntoView } from './use-into-view.ts';

interface ComboboxProps<T> {
  id?: string;
  label: string;
  placeholder?: string;
  /** What is typed; the caller finds the options. */
  text: string;
  onText(text: string): void;
  options: readonly T[];
  keyOf(option: T): string;
  show(option: T): ReactNode;
  onChoose(option: T): void;
  /** Told when the field is left, with what is typed in it still there; not when the window is. */
  onLeave?(): void;
  /** What is said instead of options. */
  note?: string | undefined;
  /** Whether it is still looked for what fits; Enter that comes meanwhile takes `likeliest`, if there is one then. */
  waits?: boolean;
  likeliest?: T | undefined;
  /** Of the input, as its field has it. */
  input?: { 'aria-describedby'?: string; 'aria-invalid'?: true; required?: boolean };
  /** Whether what stands in it was chosen and what is typed takes its place: Enter begins at the first option each time. */
  isChoice?: boolean;
  /** What is said below the options, such as how many more there are. */
  below?: string | undefined;
}

const boxes =
  'absolute left-0 z-30 max-h-72 w-full min-w-56 overflow-auto rounded-md border border-line bg-surface shadow-lg';
/** As high as a list may be, with the gap. */
const highest = 292;

/** Whether a list has more room above its field, and too little below it. */
function opensUp(field: HTMLElement | null): boolean {
  const { top, bottom } = field?.getBoundingClientRect() ?? { top: 0, bottom: 0 };
  return bottom + highest > window.innerHeight && top > window.innerHeight - bottom;
}

/** A field that offers what fits as it is typed; arrows go through it, Enter takes it, Escape closes it. */
export function Combobox<T>(props: ComboboxProps<T>) {
  const { id, label, placeholder, text, onText, options, keyOf, show, onChoose, onLeave, note } = props;
  const { input, isChoice, below, waits = false, likeliest } = props;
  const list = useId();
  const [open, setOpen] = useState(false);
  const [active, setActive] = useState(0);
  const at = Math.min(active, options.length - 1);
  const line = useIntoView<HTMLDivElement>(Math.max(0, at));
  const field = useRef<HTMLInputElement>(null);
  // What is typed next takes its place, also where it has just been chosen.
  // biome-ignore lint/correctness/useExhaustiveDependencies: it is another text that is chosen
  useLayoutEffect(() => {
    if (isChoice && document.activeElement === field.current) field.current?.select();
  }, [isChoice, text]);
  const isOpen = open && (options.length > 0 || note !== undefined);
  const box = `${boxes} ${isOpen && opensUp(field.current) ? 'bottom-full mb-1' : 'top-full mt-1'}`;
  const close = () => {
    setOpen(false);
    if (isChoice !== undefined) setActive(0);
  };
  const early = useEarlyEnter(waits, () => {
    if (likeliest !== undefined) choose(likeliest);
    else if (document.activeElement !== field.current) onLeave?.();
  });
  const choose = (option: T | undefined) => {
    if (option === undefined) return;
    early.current = false;
    close();
    onChoose(option);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (onceHeld(event)) return;
    const key = pressedKey(event);
    if (key === 'ArrowDown' || key === 'ArrowUp') {
      event.preventDefault();
      early.current = false;
      setOpen(true);
      setActive(Math.max(0, Math.min(options.length - 1, at + (key === 'ArrowDown' ? 1 : -1))));
    } else if (key === 'Enter' && isOpen) {
      event.preventDefault();
      early.current = waits;
      choose(options[at]);
    } else if (key === 'Enter' && text !== '') {
      // What is offered is shown before it is taken, and nothing is sent without it.
      event.preventDefault();
      setOpen(true);
    } else if (key === 'Escape' && isOpen) {
      // The list is closed, and the field not left.
      event.preventDefault();
      early.current = false;
      setOpen(false);
    }
  };
  return (
    <div className="relative min-w-0">
      <Input
        {...input}
        ref={field}
        id={id}
        role="combobox"
        aria-label={label}
        aria-expanded={isOpen}
        aria-controls={list}
        aria-autocomplete="list"
        aria-activedescendant={isOpen && at >= 0 ? `${list}-${at}` : undefined}
        data-escape={isOpen || undefined}
        placeholder={placeholder}
        className={isChoice === undefined ? 'w-full' : 'w-full pr-7 text-ellipsis'}
        value={text}
        onChange={({ target }) => {
          onText(target.value);
          early.current = false;
          setActive(0);
          setOpen(true);
        }}
        // A focus that comes of nothing is the page's own, as after something was removed: nobody asked for a list over what is below.
        onFocus={({ target, relatedTarget }) => {
          if (isChoice) target.select();
          if (relatedTarget) setOpen(true);
        }}
        onClick={({ currentTarget }) => {
          // The click has put the cursor where it was.
          if (isChoice && !isOpen) currentTarget.select();
          setOpen(true);
        }}
        onBlur={({ target }) => {
          close();
          if (document.activeElement !== target && !early.current) onLeave?.();
        }}
        onKeyDown={onKeyDown}
      />
      {isChoice !== undefined && (
        <ChevronDown size={15} className="pointer-events-none absolute top-2 right-2 text-quiet" aria-hidden />
      )}
      {options.length === 0 && (
        <p id={list} role="status" hidden={!isOpen} className={`${box} px-3 py-2 text-quiet`}>
          {note}
        </p>
      )}
      <div
        id={options.length > 0 ? list : undefined}
        role="listbox"
        // What scrolls is a stop of the tab key otherwise, and this one is gone as soon as the field is left.
        tabIndex={-1}
        onMouseDown={(event) => event.preventDefault()}
        aria-label={label}
        hidden={!isOpen || options.length === 0}
        className={`${box} p-1`}
      >
        {options.map((option, i) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the field takes the keys
          <div
            key={keyOf(option)}
            ref={i === at ? line : null}
            id={`${list}-${i}`}
            role="option"
            aria-selected={i === at}
            onClick={() => choose(option)}
            className={`cursor-default rounded px-2 py-1 ${i === at ? 'bg-accent-soft' : 'hover:bg-sunken'}`}
          >
            {show(option)}
          </div>
        ))}
        {below && (
          // A list has nothing but options.
          <div role="option" aria-disabled aria-selected={false} className="px-2 py-1 text-xs text-quiet">
            {below}
          </div>
        )}
      </div>
    </div>
  );
}
