import { Check } from 'lucide-react';
import { DropdownMenu as Radix } from 'radix-ui';
import type { ReactNode } from 'react';
import { onceHeld } from './once-held.ts';

const item =
  'flex h-8 cursor-default items-center gap-2 rounded px-2 outline-none select-none data-[highlighted]:bg-accent-soft data-[disabled]:opacity-50';

interface MenuProps {
  trigger: ReactNode;
  /** The list has closed, and the button is about to get the focus, which the event's `preventDefault` keeps from it. */
  onClosed?(event: Event): void;
  children: ReactNode;
}

/** A button that opens a list of things to choose; `trigger` is the button. */
export function Menu({ trigger, onClosed, children }: MenuProps) {
  return (
    <Radix.Root>
      <Radix.Trigger asChild onKeyDown={onceHeld}>
        {trigger}
      </Radix.Trigger>
      <Radix.Portal>
        <Radix.Content
          align="end"
          sideOffset={4}
          {...(onClosed && { onCloseAutoFocus: onClosed })}
          className="z-50 max-h-[70vh] min-w-44 overflow-auto rounded-md border border-line bg-surface p-1 shadow-lg"
        >
          {children}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}

export function MenuItem({
  onSelect,
  children,
  disabled,
}: {
  onSelect(): void;
  children: ReactNode;
  disabled?: boolean;
}) {
  return (
    <Radix.Item onSelect={onSelect} onKeyDown={onceHeld} className={item} {...(disabled ? { disabled } : {})}>
      {children}
    </Radix.Item>
  );
}

/** An item that is on or off; the list stays open. */
export function MenuCheck({
  checked,
  onChange,
  children,
}: {
  checked: boolean;
  onChange(on: boolean): void;
  children: ReactNode;
}) {
  return (
    <Radix.CheckboxItem
      checked={checked}
      onCheckedChange={onChange}
      onSelect={(event) => event.preventDefault()}
      onKeyDown={onceHeld}
      className={item}
    >
      <span className="inline-flex w-4">
        <Radix.ItemIndicator>
          <Check size={14} aria-hidden />
        </Radix.ItemIndicator>
      </span>
      {children}
    </Radix.CheckboxItem>
  );
}

export function MenuLabel({ children }: { children: ReactNode }) {
  return <Radix.Label className="px-2 pt-2 pb-1 text-xs text-quiet">{children}</Radix.Label>;
}
