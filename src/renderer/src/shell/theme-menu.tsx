import { Monitor, Moon, Sun } from 'lucide-react';
import { IconButton } from '../components/button.tsx';
import { Menu, MenuItem } from '../components/menu.tsx';
import { useTexts } from '../messages/texts.tsx';
import { setPreferences, usePreferences } from '../preferences/preferences.ts';

/** The system's colours, or light or dark ones. */
export const themes = [
  { theme: undefined, label: 'theme.system', icon: Monitor },
  { theme: 'light', label: 'theme.light', icon: Sun },
  { theme: 'dark', label: 'theme.dark', icon: Moon },
] as const;

export function ThemeMenu() {
  const { t } = useTexts();
  const chosen = usePreferences().theme;
  const { icon: Icon } = themes.find(({ theme }) => theme === chosen) ?? themes[0];
  return (
    <Menu
      trigger={
        <IconButton label={t('settings.theme')}>
          <Icon size={16} aria-hidden />
        </IconButton>
      }
    >
      {themes.map(({ theme, label, icon: Each }) => (
        <MenuItem key={label} onSelect={() => setPreferences({ theme })}>
          <Each size={14} aria-hidden />
          {t(label)}
        </MenuItem>
      ))}
    </Menu>
  );
}
