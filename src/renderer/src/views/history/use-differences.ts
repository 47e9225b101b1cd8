import { type RefObject, useRef } from 'react';
import { useCommands } from '../../commands/commands.ts';
import { useTexts } from '../../messages/texts.tsx';
import { inLines, nextDifference } from './differences.ts';

/** What an element that differs carries, so that it can be gone to. */
export const difference = { 'data-difference': '', tabIndex: -1 } as const;

/** Goes to the next difference below an element, or the one before, also by keys. */
export function useDifferences(within: RefObject<HTMLElement | null>): (by: 1 | -1) => void {
  const { t } = useTexts();
  const at = useRef<HTMLElement>(null);
  const step = (by: 1 | -1) => {
    const marked = [...(within.current?.querySelectorAll<HTMLElement>('[data-difference]') ?? [])];
    const lines = inLines(marked.map((element) => ({ element, top: element.getClientRects()[0]?.top ?? 0 })));
    const next =
      lines[
        nextDifference(
          lines.findIndex(({ element }) => element === at.current),
          lines.length,
          by,
        )
      ];
    at.current = next?.element ?? null;
    next?.element.focus({ preventScroll: true });
    next?.element.scrollIntoView({ block: 'center' });
  };
  const group = t('history.comparison');
  useCommands([
    { id: 'next-difference', label: t('history.nextDifference'), group, keys: ['n'], goesOn: true, run: () => step(1) },
    {
      id: 'previous-difference',
      label: t('history.previousDifference'),
      group,
      keys: ['p'],
      goesOn: true,
      run: () => step(-1),
    },
  ]);
  return step;
}
