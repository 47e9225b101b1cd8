import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useTexts } from '../../../messages/texts.tsx';
import { entityQuery } from '../../entity/entity-queries.ts';
import { CollectionProblem, isGone } from '../collection-problem.tsx';
import { CollectionViews } from '../collection-views.tsx';
import { useDeleted } from './deleted-query.ts';
import { DeletedScreen } from './deleted-screen.tsx';

const route = getRouteApi('/collections/$id/deleted');

/** What was deleted in a collection. */
export function Deleted() {
  const { t } = useTexts();
  const { id } = route.useParams();
  const { data, error, refetch } = useQuery(entityQuery(id));
  const list = useDeleted(id);
  if (isGone(error))
    return (
      <div className="p-5">
        <CollectionProblem error={error} retry={refetch} />
      </div>
    );
  const label = data?.properties.label;
  return (
    <DeletedScreen
      list={list}
      title={typeof label === 'string' && label ? label : t('entity.noLabel')}
      views={<CollectionViews id={id} />}
      count="deleted.count"
      none={{ title: 'deleted.none', about: 'deleted.noneAbout' }}
    />
  );
}
