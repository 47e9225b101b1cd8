import { useTexts } from '../messages/texts.tsx';
import { showsMore } from '../shell/focus-kept.ts';
import { AndMore } from './and-more.tsx';
import { Button } from './button.tsx';

interface ShowMoreProps {
  total: number;
  listed: number;
  /** Shows more of them. */
  onMore(): void;
  className?: string;
}

/** Below the first ones of a list that is here whole: how many more there are, and the way to them; nothing where all are listed. */
export function ShowMore({ total, listed, onMore, className = '' }: ShowMoreProps) {
  const { t } = useTexts();
  if (total <= listed) return null;
  return (
    <div className={`flex items-center gap-3 ${className}`}>
      <AndMore total={total} listed={listed} />
      <Button small {...showsMore} className="print:hidden" onClick={onMore}>
        {t('list.more')}
      </Button>
    </div>
  );
}
