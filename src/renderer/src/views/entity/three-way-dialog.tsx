import { useMemo, useState } from 'react';
import { Button } from '../../components/button.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { Notice } from '../../components/notice.tsx';
import { useTexts } from '../../messages/texts.tsx';
import type { Content } from './model/content.ts';
import { mergeThreeWay, type Side } from './model/three-way.ts';
import { placeName, ThreeWayTable } from './three-way-table.tsx';
import { useShownDifferences } from './use-shown-differences.ts';

interface ThreeWayDialogProps {
  onClose(): void;
  base: Content;
  mine: Content;
  theirs: Content;
  /** Of the entity. */
  type: string;
  /** Who made the other version, and when. */
  about: string;
  /** Whether something stands in a field that cannot be saved. */
  fault: boolean;
  /** Whether somebody has saved another version since this one was looked at. */
  overtaken: boolean;
  onLook(): void;
  /** Goes on with what both say together. */
  onMerge(merged: Content): void;
}

/** What was there, what is on the page, and what somebody else saved meanwhile: side by side, and together. */
export function ThreeWayDialog(props: ThreeWayDialogProps) {
  const { onClose, base, mine, theirs, type, about, fault, overtaken, onLook, onMerge } = props;
  const { t } = useTexts();
  const [choices, setChoices] = useState<Record<string, Side>>({});
  const { merged, differences } = useMemo(
    () => mergeThreeWay(base, mine, theirs, (path) => choices[placeName(path)] ?? 'mine', type),
    [base, mine, theirs, choices, type],
  );
  const { shown, unseen, showMore } = useShownDifferences(differences, choices);
  const clashes = differences.filter(({ clash }) => clash).length;
  return (
    <Dialog
      wide
      open
      onClose={onClose}
      title={t('merge.title')}
      about={
        <>
          {about} {t(clashes === 0 ? 'merge.noClash' : 'merge.clashes', { count: clashes })}
        </>
      }
      actions={
        <>
          {unseen > 0 && <p className="min-w-48 flex-1">{t('merge.unseen', { count: unseen })}</p>}
          <Button onClick={onClose}>{t('action.cancel')}</Button>
          <Button look="main" disabled={fault || overtaken} onClick={() => onMerge(merged)}>
            {t('merge.take')}
          </Button>
        </>
      }
    >
      {overtaken && (
        <div className="mb-3">
          <Notice text={t('merge.moved')}>
            <Button onClick={onLook}>{t('merge.lookAgain')}</Button>
          </Notice>
        </div>
      )}
      {fault && <p className="mb-3 text-danger">{t('merge.fault')}</p>}
      <ThreeWayTable
        shown={shown}
        total={differences.length}
        onMore={showMore}
        choices={choices}
        onChoose={(place, side) => setChoices({ ...choices, [place]: side })}
        relationships={[...mine.relationships, ...theirs.relationships, ...base.relationships]}
      />
    </Dialog>
  );
}
