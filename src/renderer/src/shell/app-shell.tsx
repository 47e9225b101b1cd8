import { useQueryClient } from '@tanstack/react-query';
import { Outlet, useNavigate, useSearch } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { type Command, useCommands } from '../commands/commands.ts';
import { Toasts } from '../components/toasts.tsx';
import { Waiting } from '../components/waiting.tsx';
import { useTexts } from '../messages/texts.tsx';
import { useSession } from '../session/session.ts';
import { contentId, useFocusOnArrival } from './arrival.ts';
import { CommandPalette } from './command-palette.tsx';
import { DropTarget } from './drop-target.tsx';
import { useFocusKept } from './focus-kept.ts';
import { HealthBanner } from './health-banner.tsx';
import { KeyboardHelp } from './keyboard-help.tsx';
import { LeaveQuestion } from './leave-question.tsx';
import { LiveUpdates } from './live-updates.tsx';
import { places } from './navigation.ts';
import { NoNode } from './no-node.tsx';
import { SideBar } from './side-bar.tsx';
import { SignedOut, SignedOutBanner } from './signed-out.tsx';
import { useSteadyEnd } from './use-steady-end.ts';

/** What is around every screen. A screen stays, with all that was typed into it, when the node stops or forgets who asks. */
export function AppShell() {
  const { t } = useTexts();
  const session = useSession();
  const [palette, setPalette] = useState(false);
  const [help, setHelp] = useState(false);
  const [wasIn, setWasIn] = useState(false);
  const go = useNavigate();
  const { network = 'main' } = useSearch({ from: '__root__' });
  const isIn = session.data?.state === 'in';
  if (isIn && !wasIn) setWasIn(true);
  useFetchAnew(session.data?.state);
  useFocusOnArrival();
  useFocusKept();
  useSteadyEnd();

  useCommands([
    ...places.map(
      ({ to, label, keys }): Command => ({
        id: `go ${to}`,
        label: t(label),
        group: t('group.places'),
        keys: [keys],
        run: () => void go({ to }),
      }),
    ),
    {
      id: 'palette',
      label: t('palette.open'),
      group: t('group.page'),
      keys: ['Mod+k'],
      palette: false,
      run: () => setPalette(true),
    },
    { id: 'help', label: t('help.open'), group: t('group.page'), keys: ['?'], run: () => setHelp(true) },
  ]);

  if (!wasIn) {
    if (session.isPending) return <Waiting />;
    if (session.data?.state === 'out') return <SignedOut spent={session.data.spent} />;
    return <NoNode />;
  }
  return (
    <div className="flex h-full flex-col md:flex-row print:block print:h-auto">
      <a
        href={`#${contentId}`}
        className="sr-only z-50 rounded bg-accent px-3 py-2 text-on-accent focus:not-sr-only focus:absolute focus:m-2"
      >
        {t('nav.skip')}
      </a>
      <SideBar onPalette={() => setPalette(true)} onHelp={() => setHelp(true)} />
      <div className="flex min-h-0 min-w-0 flex-1 flex-col print:block">
        <HealthBanner />
        {!isIn && session.data && <SignedOutBanner />}
        <main
          id={contentId}
          tabIndex={-1}
          className="flex min-h-0 flex-1 flex-col overflow-auto outline-none print:block"
        >
          {/* Another network has other contents on every screen. */}
          <LiveUpdates key={network}>
            <Outlet />
          </LiveUpdates>
        </main>
        <Toasts />
      </div>
      <CommandPalette open={palette} onClose={() => setPalette(false)} />
      <KeyboardHelp open={help} onClose={() => setHelp(false)} />
      <LeaveQuestion />
      <DropTarget />
    </div>
  );
}

/** What was refused while nobody was signed in is asked for again once somebody is. */
function useFetchAnew(state: 'in' | 'out' | undefined): void {
  const queries = useQueryClient();
  const before = useRef(state);
  useEffect(() => {
    if (before.current === 'out' && state === 'in')
      void queries.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'session' });
    before.current = state ?? before.current;
  }, [state, queries]);
}
