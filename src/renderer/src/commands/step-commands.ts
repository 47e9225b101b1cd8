import type { Texts } from '../messages/translate.ts';
import type { Command } from './commands.ts';

/** Going through a list of `length` by j and k or the arrows; `at` is the place of the active one, -1 before the first. */
export function stepCommands(
  t: Texts['t'],
  at: number,
  length: number,
  setActive: (at: number) => void,
): [Command, Command] {
  const group = t('group.list');
  const step = (to: number) => {
    if (length > 0) setActive(Math.max(0, Math.min(to, length - 1)));
  };
  return [
    {
      id: 'next',
      label: t('list.next'),
      group,
      keys: ['j', 'ArrowDown'],
      palette: false,
      goesOn: true,
      run: () => step(at + 1),
    },
    {
      id: 'previous',
      label: t('list.previous'),
      group,
      keys: ['k', 'ArrowUp'],
      palette: false,
      goesOn: true,
      run: () => step(at - 1),
    },
  ];
}
