import type { ComponentProps } from 'react';
import { Input } from './field.tsx';
import { pressedKey } from './pressed-key.ts';

interface FilterBoxProps extends Omit<ComponentProps<typeof Input>, 'type' | 'onChange' | 'onKeyDown' | 'aria-label'> {
  label: string;
  onType(text: string): void;
}

/** A field that a list follows. Enter leaves it, as Escape leaves every field (commands/commands.ts): the keys are the list's then. */
export function FilterBox({ label, onType, ...props }: FilterBoxProps) {
  return (
    <Input
      placeholder={label}
      {...props}
      type="search"
      aria-label={label}
      onChange={({ target }) => onType(target.value)}
      onKeyDown={(event) => pressedKey(event) === 'Enter' && event.currentTarget.blur()}
    />
  );
}
