import { useQueryErrorResetBoundary } from '@tanstack/react-query';
import { type ErrorComponentProps, Link, useRouter } from '@tanstack/react-router';
import { Button, buttonClasses } from '../components/button.tsx';
import { Problem } from '../components/problem.tsx';
import { useTexts } from '../messages/texts.tsx';

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
