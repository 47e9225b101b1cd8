import { useQueryErrorResetBoundary } from '@tanstack/react-query';
import { type ErrorComponentProps, Link, useRouter } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { Failure } from '../api/failure.ts';
import { Button, buttonClasses } from '../components/button.tsx';
import { Problem } from '../components/problem.tsx';
import { useTexts } from '../messages/texts.tsx';
import { useHealth } from '../session/health.ts';

/** A screen that failed: what happened, and the ways on. The navigation around it goes on working. */
export function ErrorScreen({ error, reset }: ErrorComponentProps) {
  const { t } = useTexts();
  const router = useRouter();
  const { reset: forget } = useQueryErrorResetBoundary();
  const again = () => {
    forget();
    reset();
    void router.invalidate();
  };
  // What did not come since the node was away comes when it answers.
  const isAway = error instanceof Failure && error.kind === 'unreachable';
  const { dataUpdatedAt: answeredAt, refetch: ask } = useHealth();
  const before = useRef(answeredAt);
  const latest = useRef(again);
  latest.current = again;
  useEffect(() => {
    if (isAway) void ask();
  }, [isAway, ask]);
  useEffect(() => {
    if (isAway && answeredAt !== before.current) latest.current();
    before.current = answeredAt;
  }, [isAway, answeredAt]);
  return (
    <div className="mx-auto w-full max-w-2xl p-6">
      <h1 className="mb-3 text-lg font-semibold">{t('error.title')}</h1>
      <Problem error={error} retry={again}>
        <Link to="/" className={buttonClasses()} onClick={reset}>
          {t('error.toStart')}
        </Link>
        <Button onClick={() => location.reload()}>{t('error.reload')}</Button>
      </Problem>
    </div>
  );
}

/** An address that no screen has. */
export function NoSuchScreen() {
  const { t } = useTexts();
  return (
    <div className="mx-auto w-full max-w-2xl p-6">
      <h1 className="mb-2 text-lg font-semibold">{t('error.noScreen')}</h1>
      <p className="mb-4 text-quiet">{t('error.noScreenAbout')}</p>
      <Link to="/" className={buttonClasses('main')}>
        {t('error.toStart')}
      </Link>
    </div>
  );
}
