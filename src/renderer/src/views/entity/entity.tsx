import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { Failure } from '../../api/failure.ts';
import { buttonClasses } from '../../components/button.tsx';
import { Problem } from '../../components/problem.tsx';
import { Waiting } from '../../components/waiting.tsx';
import { useTexts } from '../../messages/texts.tsx';
import { useLoss } from '../../session/unsaved.ts';
import { useTyped } from './draft.ts';
import { Editor } from './editor.tsx';
import { entityQuery } from './entity-queries.ts';
import { Gone } from './gone.tsx';
import { Stranded } from './stranded.tsx';

const route = getRouteApi('/entities/$id');

/** An entity: its properties as a form, and to what it leads. */
export function EntityScreen() {
  const { t } = useTexts();
  const { id } = route.useParams();
  const { data, error, isPending, refetch } = useQuery(entityQuery(id));
  const hasDraft = useTyped(id) !== undefined;
  const loss = useLoss();
  const gone = error instanceof Failure && error.kind === 'gone' ? error : null;
  // What is there stays, also when it cannot be fetched anew: something may have been typed into it.
  if (data && (!gone || hasDraft || loss)) return <Editor key={id} entity={data} gone={gone} />;
  if (gone) return <Gone id={id} failure={gone} />;
  if (isPending) return <Waiting />;
  return (
    <div className="mx-auto w-full max-w-2xl space-y-3 p-6">
      <Problem error={error} retry={() => void refetch()}>
        <Link to="/collections" className={buttonClasses()}>
          {t('collections.title')}
        </Link>
      </Problem>
      <Stranded id={id} />
    </div>
  );
}
