import { History } from 'lucide-react';
import { Button } from '../../components/button.tsx';
import { Menu, MenuItem, MenuLabel } from '../../components/menu.tsx';
import { useTexts } from '../../messages/texts.tsx';
import { QueryText } from './query-text.tsx';
import { forgetAll, useRecent } from './recent.ts';

/** What was asked before in this tab. */
export function RecentMenu({ onChoose }: { onChoose(query: string): void }) {
  const { t } = useTexts();
  const recent = useRecent();
  if (recent.length === 0) return null;
  return (
    <Menu
      trigger={
        <Button>
          <History size={15} aria-hidden />
          {t('argo.recent')}
        </Button>
      }
    >
      <MenuLabel>{t('argo.recentAbout')}</MenuLabel>
      {recent.map((query) => (
        <MenuItem key={query} onSelect={() => onChoose(query)}>
          <QueryText query={query.slice(0, 300)} className="max-w-md truncate" />
        </MenuItem>
      ))}
      <MenuItem onSelect={forgetAll}>{t('argo.forget')}</MenuItem>
    </Menu>
  );
}
