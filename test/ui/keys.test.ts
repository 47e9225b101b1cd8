import { expect, test } from 'vitest';
import { isBare, keyCaps, pressesOf, pressName } from '../../src/renderer/src/commands/keys.ts';

const press = (key: string, held: Partial<Record<'ctrlKey' | 'metaKey' | 'altKey' | 'shiftKey', boolean>> = {}) =>
  pressName({ key, ctrlKey: false, metaKey: false, altKey: false, shiftKey: false, ...held });

test('a press has one name, whatever the system calls its keys', () => {
  expect(press('k', { ctrlKey: true })).toBe('Mod+k');
  expect(press('k', { metaKey: true })).toBe('Mod+k');
  expect(press('?', { shiftKey: true })).toBe('?');
  expect(press('J')).toBe('j');
  expect(press(' ')).toBe('Space');
  expect(press('ArrowDown', { shiftKey: true })).toBe('Shift+ArrowDown');
  expect(press('Z', { ctrlKey: true, shiftKey: true })).toBe('Mod+Shift+z');
});

test('what would be typed in a field is known', () => {
  expect(['j', '?', 'Enter', 'Space', 'ArrowUp', 'Delete'].map(isBare)).toEqual([true, true, true, true, true, true]);
  expect(['Mod+s', 'Escape', 'Alt+1'].map(isBare)).toEqual([false, false, false]);
});

test('a shortcut is written as it stands on the keyboard', () => {
  expect(pressesOf('g c')).toEqual(['g', 'c']);
  expect(keyCaps('Mod+k', false)).toEqual(['Ctrl', 'K']);
  expect(keyCaps('Mod+k', true)).toEqual(['⌘', 'K']);
  expect(keyCaps('Mod++', false)).toEqual(['Ctrl', '+']);
});
