import { type KeyboardEvent, type ReactNode, useId, useState } from 'react';
import { Input } from './field.tsx';
import { onceHeld } from './once-held.ts';
import { pressedKey } from './pressed-key.ts';
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
}

const box =
  'absolute top-full left-0 z-30 mt-1 max-h-72 w-full min-w-56 overflow-auto rounded-md border border-line bg-surface shadow-lg';

/** A field that offers what fits as it is typed; arrows go through it, Enter takes it, Escape closes it. */
export function Combobox<T>(props: ComboboxProps<T>) {
  const { id, label, placeholder, text, onText, options, keyOf, show, onChoose, onLeave, note } = props;
  const list = useId();
  const [open, setOpen] = useState(false);
  const [active, setActive] = useState(0);
  const at = Math.min(active, options.length - 1);
  const line = useIntoView<HTMLDivElement>(Math.max(0, at));
  const isOpen = open && (options.length > 0 || note !== undefined);
  const choose = (option: T | undefined) => {
    if (option === undefined) return;
    setOpen(false);
    onChoose(option);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (onceHeld(event)) return;
    const key = pressedKey(event);
    if (key === 'ArrowDown' || key === 'ArrowUp') {
      event.preventDefault();
      setOpen(true);
      setActive(Math.max(0, Math.min(options.length - 1, at + (key === 'ArrowDown' ? 1 : -1))));
    } else if (key === 'Enter' && isOpen) {
      event.preventDefault();
      choose(options[at]);
    } else if (key === 'Enter' && text !== '') {
      // What is offered is shown before it is taken, and nothing is sent without it.
      event.preventDefault();
      setOpen(true);
    } else if (key === 'Escape' && isOpen) {
      // The list is closed, and the field not left.
      event.preventDefault();
      setOpen(false);
    }
  };
  return (
    <div className="relative min-w-0">
      <Input
        id={id}
        role="combobox"
        aria-label={label}
        aria-expanded={isOpen}
        aria-controls={list}
        aria-autocomplete="list"
        aria-activedescendant={isOpen && at >= 0 ? `${list}-${at}` : undefined}
        data-escape={isOpen || undefined}
        placeholder={placeholder}
        value={text}
        onChange={({ target }) => {
          onText(target.value);
          setActive(0);
          setOpen(true);
        }}
        // A focus that comes of nothing is the page's own, as after something was removed: nobody asked for a list over what is below.
        onFocus={({ relatedTarget }) => relatedTarget && setOpen(true)}
        onClick={() => setOpen(true)}
        onBlur={({ target }) => {
          setOpen(false);
          if (document.activeElement !== target) onLeave?.();
        }}
        onKeyDown={onKeyDown}
      />
      {options.length === 0 && (
        <p id={list} role="status" hidden={!isOpen} className={`${box} px-3 py-2 text-quiet`}>
          {note}
        </p>
      )}
      <div
        id={options.length > 0 ? list : undefined}
        role="listbox"
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
            onMouseDown={(event) => event.preventDefault()}
            onClick={() => choose(option)}
            className={`cursor-default rounded px-2 py-1 ${i === at ? 'bg-accent-soft' : 'hover:bg-sunken'}`}
          >
            {show(option)}
          </div>
        ))}
      </div>
    </div>
  );
}
