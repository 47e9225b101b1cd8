import type { KeyboardEvent } from 'react';

/**
 * A key that is held opens a list or chooses of it, and not both: for the `onKeyDown` of what takes each repetition for one more
 * press, and leaves out what was prevented. Into a field a space is typed as often as it comes. Gives whether it was such a repetition.
 */
export function onceHeld(event: KeyboardEvent): boolean {
  const chooses = event.key === 'Enter' || (event.key === ' ' && !(event.target instanceof HTMLInputElement));
  if (!event.repeat || !chooses) return false;
  event.preventDefault();
  return true;
}
