import type { Failure } from '../../api/failure.ts';
import { Button } from '../../components/button.tsx';
import { Problem } from '../../components/problem.tsx';
import { useTexts } from '../../messages/texts.tsx';
import { useRestore } from './use-restore.ts';

/** Says of an entity into which something is typed that somebody has deleted it, and offers the way back. */
export function GoneBanner({ id, gone }: { id: string; gone: Failure }) {
  const { t } = useTexts();
  const { restore, isPending, error } = useRestore(id, gone);
  return (
    <>
      <div role="alert" className="flex flex-wrap items-center gap-3 rounded-md bg-warning-soft px-3 py-2">
        <p className="min-w-48 flex-1">{t('entity.deletedMeanwhile')}</p>
        <Button onClick={restore} disabled={isPending}>
          {t('entity.restore')}
        </Button>
      </div>
      {error && <Problem error={error} />}
    </>
  );
}
