import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { PageHead } from '../../components/page-head.tsx';
import { screenLink } from '../../components/screen-link.ts';
import { useTexts } from '../../messages/texts.tsx';

const screens = [
  { to: '/settings', label: 'settings.page' },
  { to: '/settings/keys', label: 'keys.title' },
  { to: '/settings/node', label: 'settings.node' },
] as const;

/** The head of the settings, with the way to each of their screens. */
export function SettingsHead({ actions }: { actions?: ReactNode }) {
  const { t } = useTexts();
  return (
    <PageHead
      title={t('settings.title')}
      actions={
        <>
          <nav aria-label={t('settings.title')} className="flex flex-wrap gap-1">
            {screens.map(({ to, label }) => (
              <Link key={to} to={to} activeOptions={{ exact: true, includeSearch: false }} className={screenLink}>
                {t(label)}
              </Link>
            ))}
          </nav>
          {actions}
        </>
      }
    />
  );
}
