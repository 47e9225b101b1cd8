import type { Texts } from '../messages/translate.ts';
import type { Command } from './commands.ts';

/** Going through a list of `length` by j and k or the arrows; `at` is the place of the active one. */
export function stepCommands(
  t: Texts['t'],
  at: number,
  length: number,
  setActive: (at: number) => void,
): [Command, Command] {
  const group = t('group.list');
  return [
    {
      id: 'next',
      label: t('list.next'),
      group,
      keys: ['j', 'ArrowDown'],
      palette: false,
      run: () => setActive(Math.min(at + 1, length - 1)),
    },
    {
      id: 'previous',
      label: t('list.previous'),
      group,
      keys: ['k', 'ArrowUp'],
      palette: false,
      run: () => setActive(Math.max(at - 1, 0)),
    },
  ];
}
