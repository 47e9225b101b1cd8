import { type ComponentProps, type FocusEvent, type MouseEvent, useState } from 'react';

type Props = Pick<ComponentProps<'button'>, 'disabled' | 'onClick' | 'onFocus' | 'onBlur'>;

/**
 * A button that cannot be pressed any more keeps the focus until that is taken elsewhere: as a disabled one it would lose it, and
 * whoever works by keys had none while a work is under way, nor after it.
 */
export function useHeld({ disabled = false, onClick, onFocus, onBlur }: Props) {
  const [focused, setFocused] = useState(false);
  return {
    disabled: disabled && !focused,
    ...(disabled && focused && { 'aria-disabled': true }),
    // Nor does a form hear of it then.
    onClick: disabled ? (event: MouseEvent) => event.preventDefault() : onClick,
    onFocus: (event: FocusEvent<HTMLButtonElement>) => {
      setFocused(true);
      onFocus?.(event);
    },
    onBlur: (event: FocusEvent<HTMLButtonElement>) => {
      // It is the page's still where only its window is left.
      if (document.activeElement !== event.currentTarget) setFocused(false);
      onBlur?.(event);
    },
  };
}
