import { Link } from '@tanstack/react-router';
import { Failure } from '../../api/failure.ts';
import { buttonClasses } from '../../components/button.tsx';
import { Problem } from '../../components/problem.tsx';
import { useTexts } from '../../messages/texts.tsx';

/** Why a collection is not shown; of one that was deleted, with the way to where it comes back. */
export function CollectionProblem({ error, retry }: { error: unknown; retry(): unknown }) {
  const { t } = useTexts();
  const gone = isGone(error);
  return (
    <Problem error={error} retry={gone ? undefined : () => void retry()}>
      <Link to={gone ? '/collections/deleted' : '/collections'} className={buttonClasses()}>
        {t(gone ? 'deleted.collections' : 'collections.title')}
      </Link>
    </Problem>
  );
}

export function isGone(error: unknown): boolean {
  return error instanceof Failure && error.kind === 'gone';
}
