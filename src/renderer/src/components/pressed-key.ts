import type { KeyboardEvent } from 'react';

/** The number of every key that an input method takes. */
const taken = 229;

/**
 * The key that was pressed in a field; none where an input method took it, as the Enter that ends a composition: to one
 * who writes Japanese it is a part of the text. Safari tells of that one when the composition has ended already.
 */
export function pressedKey({ key, nativeEvent }: KeyboardEvent): string | null {
  return nativeEvent.isComposing || nativeEvent.keyCode === taken ? null : key;
}
