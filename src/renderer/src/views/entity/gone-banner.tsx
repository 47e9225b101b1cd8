import type { Failure } from '../../api/failure.ts';
import { Button } from '../../components/button.tsx';
import { Notice } from '../../components/notice.tsx';
import { Problem } from '../../components/problem.tsx';
import { useTexts } from '../../messages/texts.tsx';
import { useRestore } from './use-restore.ts';

/** Says of an entity into which something is typed that somebody has deleted it, and offers the way back. */
export function GoneBanner({ id, gone }: { id: string; gone: Failure }) {
  const { t } = useTexts();
  const { restore, isPending, error } = useRestore(id, gone);
  return (
    <>
      <Notice text={t('entity.deletedMeanwhile')}>
        <Button onClick={restore} disabled={isPending}>
          {t('entity.restore')}
        </Button>
      </Notice>
      {error && <Problem error={error} />}
    </>
  );
}
