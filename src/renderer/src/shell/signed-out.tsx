import { useQueryClient } from '@tanstack/react-query';
import { KeyRound } from 'lucide-react';
import { type ReactNode, useCallback, useEffect } from 'react';
import { Button } from '../components/button.tsx';
import { Text, useTexts } from '../messages/texts.tsx';
import { sessionQuery } from '../session/session.ts';

/** A browser that the node does not know: how to get a link that changes it. */
export function SignedOut({ spent }: { spent: boolean }) {
  const { t } = useTexts();
  useLook();
  return (
    <Alone title={t(spent ? 'session.spent' : 'session.out')}>
      <p>
        <Text id="session.how" command={<Code>archeion open</Code>} />
      </p>
      <p className="text-quiet">{t('session.once')}</p>
      <p className="text-quiet">
        <Text
          id="session.docs"
          link={
            <a className="text-accent underline" href="/docs">
              {t('session.docsLink')}
            </a>
          }
        />
      </p>
    </Alone>
  );
}

/** The same, above a screen on which something may have been typed. */
export function SignedOutBanner() {
  const { t } = useTexts();
  const again = useLook();
  return (
    <div
      role="alert"
      className="flex flex-wrap items-center gap-3 border-b border-warning/40 bg-warning-soft px-5 py-2"
    >
      <KeyRound size={16} className="text-warning" aria-hidden />
      <p className="min-w-48 flex-1">
        <strong className="font-medium">{t('session.ended')}</strong>{' '}
        <Text id="session.endedHow" command={<Code>archeion open</Code>} />
      </p>
      <Button onClick={again}>{t('action.retry')}</Button>
    </div>
  );
}

/**
 * Looks every three seconds who is signed in, and gives what does it at once: the link is opened in another tab, and the cookie is
 * there when this one is looked at again.
 */
function useLook(): () => void {
  const queries = useQueryClient();
  const look = useCallback(() => void queries.invalidateQueries({ queryKey: sessionQuery.queryKey }), [queries]);
  useEffect(() => {
    const timer = setInterval(look, 3000);
    return () => clearInterval(timer);
  }, [look]);
  return look;
}

function Code({ children }: { children: ReactNode }) {
  return <code className="rounded bg-sunken px-1.5 py-0.5 font-mono text-[0.9em] select-all">{children}</code>;
}

/** A screen with nothing around it. */
export function Alone({ title, children }: { title: string; children: ReactNode }) {
  useEffect(() => {
    document.title = 'Archeion';
  }, []);
  return (
    <main className="mx-auto flex min-h-full max-w-md flex-col justify-center gap-4 p-6">
      <img src={`${import.meta.env.BASE_URL}icon.svg`} alt="" className="size-10 rounded-lg" />
      <h1 className="text-xl font-semibold">{title}</h1>
      {children}
    </main>
  );
}
