import { Link } from '@tanstack/react-router';
import { CircleHelp, Command as CommandIcon } from 'lucide-react';
import { IconButton } from '../components/button.tsx';
import { KeyCaps } from '../components/key-caps.tsx';
import { useTexts } from '../messages/texts.tsx';
import { places } from './navigation.ts';
import { NetworkMark } from './network-mark.tsx';
import { NodeState } from './node-state.tsx';
import { SyncMark } from './sync-mark.tsx';
import { ThemeMenu } from './theme-menu.tsx';

/** The navigation: at the left, on narrow pages at the top. */
export function SideBar({ onPalette, onHelp }: { onPalette(): void; onHelp(): void }) {
  const { t } = useTexts();
  return (
    <header className="flex shrink-0 flex-wrap items-center gap-x-3 gap-y-1 border-b border-line bg-sunken p-2 md:w-52 md:flex-col md:flex-nowrap md:items-stretch md:overflow-y-auto md:border-r md:border-b-0 md:p-3 print:hidden">
      <Link to="/" className="flex items-center gap-2 rounded px-1 py-1 text-base font-semibold">
        <img src={`${import.meta.env.BASE_URL}icon.svg`} alt="" className="size-6 rounded" />
        Archeion
      </Link>
      <NetworkMark />
      <button
        type="button"
        onClick={onPalette}
        className="flex h-8 shrink-0 items-center gap-2 rounded-md border border-line bg-surface px-2 text-quiet hover:text-ink md:my-2"
      >
        <CommandIcon size={14} aria-hidden />
        <span className="flex-1 text-left">{t('palette.open')}</span>
        <KeyCaps keys="Mod+k" />
      </button>
      <nav aria-label={t('nav.label')} className="order-last w-full md:order-none">
        <ul className="flex flex-wrap gap-0.5 md:flex-col">
          {places
            .filter(({ side }) => side !== false)
            .map(({ to, label, icon: Icon }) => (
              <li key={to}>
                <Link
                  to={to}
                  activeOptions={{ exact: to === '/', includeSearch: false }}
                  title={t(label)}
                  className="group flex h-8 items-center gap-2 rounded-md px-2 text-ink hover:bg-surface data-[status=active]:bg-accent-soft data-[status=active]:font-medium"
                >
                  <Icon size={16} aria-hidden className="text-quiet" />
                  {/* Where there is little room, in name only of where one is. */}
                  <span className="max-md:not-group-data-[status=active]:sr-only">{t(label)}</span>
                </Link>
              </li>
            ))}
        </ul>
      </nav>
      <div className="ml-auto md:mt-auto md:ml-0">
        <SyncMark />
      </div>
      <div className="flex items-center gap-1">
        <NodeState />
        <ThemeMenu />
        <IconButton label={t('help.open')} onClick={onHelp}>
          <CircleHelp size={16} aria-hidden />
        </IconButton>
      </div>
    </header>
  );
}
