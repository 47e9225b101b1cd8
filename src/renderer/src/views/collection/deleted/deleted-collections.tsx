import { useTexts } from '../../../messages/texts.tsx';
import { useDeleted } from './deleted-query.ts';
import { DeletedScreen } from './deleted-screen.tsx';

/** The collections that were deleted. */
export function DeletedCollections() {
  const { t } = useTexts();
  return (
    <DeletedScreen
      list={useDeleted(null)}
      title={t('deleted.collections')}
      views={null}
      count="deleted.collectionCount"
      none={{ title: 'deleted.noCollections', about: 'deleted.noCollectionsAbout' }}
    />
  );
}
