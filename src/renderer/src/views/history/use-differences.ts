import { type RefObject, useRef } from 'react';
import { flushSync } from 'react-dom';
import { useCommands } from '../../commands/commands.ts';
import { useTexts } from '../../messages/texts.tsx';
import { inLines, nextDifference } from './differences.ts';

/** What an element that differs carries, so that it can be gone to. */
export const difference = { 'data-difference': '', tabIndex: -1 } as const;

/** What a part of a table carries that has further differences behind those that are shown. */
export const hidesMore = { 'data-hides-more': '' } as const;

/** Goes to the next difference below an element, or the one before, also by keys; `more` shows those that come next of a part. */
export function useDifferences(within: RefObject<HTMLElement | null>, more: () => void): (by: 1 | -1) => void {
  const { t } = useTexts();
  const at = useRef<HTMLElement>(null);
  const linesOf = (place: Element | null) => {
    const marked = [...(place?.querySelectorAll<HTMLElement>('[data-difference]') ?? [])];
    return inLines(marked.map((element) => ({ element, top: element.getClientRects()[0]?.top ?? 0 })));
  };
  const step = (by: 1 | -1) => {
    const part = at.current?.closest('[data-hides-more]') ?? null;
    if (by === 1 && part && linesOf(part).at(-1)?.element === at.current) flushSync(more);
    const lines = linesOf(within.current);
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
