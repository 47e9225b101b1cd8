import { Button } from '../../../components/button.tsx';
import { Problem } from '../../../components/problem.tsx';
import { Progress } from '../../../components/progress.tsx';
import { useTexts } from '../../../messages/texts.tsx';
import type { ImportProgress } from './run-import.ts';

/** An import at work: how far it is, how fast, and the way to stop it; or why it broke off. */
export function Running({
  progress,
  error,
  onStop,
  onBack,
  onSummary,
}: {
  progress: ImportProgress | null;
  error: unknown;
  onStop(): void;
  onBack(): void;
  /** To what had come by then, where the import was begun. */
  onSummary: (() => void) | undefined;
}) {
  const { t, number, bytes } = useTexts();
  return (
    <div className="max-w-2xl space-y-4 p-5">
      {error ? (
        <Problem error={error}>
          <Button onClick={onBack}>{t('import.backToMapping')}</Button>
          {onSummary && <Button onClick={onSummary}>{t('import.whatHadCome')}</Button>}
        </Problem>
      ) : (
        <>
          <div role="status">
            <h2 className="text-base font-semibold">{t('import.running')}</h2>
          </div>
          <Progress label={t('import.running')} done={progress?.bytes ?? 0} total={progress?.total ?? null} />
          {progress && (
            <dl className="grid grid-cols-2 gap-3 sm:grid-cols-4">
              <Count name={t('import.count.records')} value={number(progress.records)} />
              <Count name={t('import.count.created')} value={number(progress.created)} />
              <Count name={t('import.count.refused')} value={number(progress.refused)} />
              <Count
                name={t('import.count.rate')}
                value={t('import.perSecond', { number: number(Math.round(progress.rate)) })}
              />
            </dl>
          )}
          {progress && (
            <p className="text-quiet">
              {t('import.bytesOf', { done: bytes(progress.bytes), total: bytes(progress.total) })}
            </p>
          )}
          <div className="flex items-center gap-3">
            <Button onClick={onStop}>{t('import.stop')}</Button>
            <p className="text-quiet">{t('import.stopAbout')}</p>
          </div>
        </>
      )}
    </div>
  );
}

export function Count({ name, value }: { name: string; value: string }) {
  return (
    <div className="rounded-lg border border-line bg-surface px-3 py-2">
      <dt className="text-xs text-quiet">{name}</dt>
      <dd className="text-lg font-semibold tabular-nums">{value}</dd>
    </div>
  );
}
