/** What of a key press counts. */
export interface Press {
  key: string;
  ctrlKey: boolean;
  metaKey: boolean;
  altKey: boolean;
  shiftKey: boolean;
}

/**
 * The name of a key press: `Mod+k` (Ctrl, on a Mac Cmd), `Mod+Shift+z`, `?`, `Enter`, `Space`. Letters are small; Shift is
 * named with Mod alone, since elsewhere it is in the sign itself.
 */
export function pressName({ key, ctrlKey, metaKey, altKey, shiftKey }: Press): string {
  const mod = ctrlKey || metaKey;
  const sign = key === ' ' ? 'Space' : key.length === 1 ? key.toLowerCase() : key;
  return `${mod ? 'Mod+' : ''}${altKey ? 'Alt+' : ''}${shiftKey && (mod || key.length > 1) ? 'Shift+' : ''}${sign}`;
}

/** The presses of a shortcut: `g c` is two, one after the other. */
export function pressesOf(keys: string): string[] {
  return keys.split(' ');
}

/** Whether a press is a bare sign, which would be typed where something can be typed. */
export function isBare(press: string): boolean {
  return press.length === 1 || press.startsWith('Arrow') || ['Enter', 'Space', 'Home', 'End', 'Delete'].includes(press);
}

/** A press as a keyboard has it written, for people to read. */
export function keyCaps(press: string, mac: boolean): string[] {
  const names: Record<string, string> = {
    Mod: mac ? '⌘' : 'Ctrl',
    Shift: mac ? '⇧' : 'Shift',
    Alt: mac ? '⌥' : 'Alt',
    Enter: '↵',
    ArrowDown: '↓',
    ArrowUp: '↑',
    Escape: 'Esc',
  };
  return press.split(/\+(?=.)/).map((part) => names[part] ?? (part.length === 1 ? part.toUpperCase() : part));
}
