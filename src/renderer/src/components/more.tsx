import type { ReactNode } from 'react';
import { useTexts } from '../messages/texts.tsx';
import { showsMore } from '../shell/focus-kept.ts';
import { Button } from './button.tsx';

interface MoreProps {
  list: { hasNextPage: boolean; isFetchingNextPage: boolean; fetchNextPage(): unknown };
  /** Beside the button. */
  children?: ReactNode;
}

/** The way to the next page of a list, below it; nothing where there is none. */
export function More({ list, children }: MoreProps) {
  const { t } = useTexts();
  if (!list.hasNextPage) return null;
  return (
    <p className="flex flex-wrap items-center justify-center gap-3 p-3">
      <Button {...showsMore} onClick={() => void list.fetchNextPage()} disabled={list.isFetchingNextPage}>
        {t('list.more')}
      </Button>
      {children}
    </p>
  );
}
