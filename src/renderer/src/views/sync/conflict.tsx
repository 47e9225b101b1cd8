import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { Failure } from '../../api/failure.ts';
import { buttonClasses } from '../../components/button.tsx';
import { Problem } from '../../components/problem.tsx';
import { Waiting } from '../../components/waiting.tsx';
import { useTexts } from '../../messages/texts.tsx';
import { ConflictEditor } from './conflict-editor.tsx';
import { SyncHead } from './sync-head.tsx';
import { conflictQuery } from './sync-queries.ts';

const route = getRouteApi('/sync/conflicts/$remote/$id');

/** One conflict. It stays as it was looked at until it is decided or looked at again, also where it is gone by then. */
export function ConflictScreen() {
  const { t } = useTexts();
  const { remote, id } = route.useParams();
  const conflict = useQuery(conflictQuery(remote, id));
  const gone = conflict.error instanceof Failure && conflict.error.kind === 'missing';
  if (conflict.data)
    return (
      <ConflictEditor
        key={`${remote} ${id}`}
        conflict={conflict.data}
        gone={gone}
        again={async () => (await conflict.refetch()).data}
      />
    );
  const list = (
    <Link to="/sync/conflicts" className={buttonClasses()}>
      {t('sync.toConflicts')}
    </Link>
  );
  return (
    <>
      <SyncHead title={t('sync.conflict')} />
      {conflict.isPending && <Waiting />}
      {conflict.error && (
        <div className="space-y-3 p-5">
          {gone ? (
            <>
              <p>{t('sync.conflictGone')}</p>
              {list}
            </>
          ) : (
            <Problem error={conflict.error} retry={() => void conflict.refetch()}>
              {list}
            </Problem>
          )}
        </div>
      )}
    </>
  );
}
