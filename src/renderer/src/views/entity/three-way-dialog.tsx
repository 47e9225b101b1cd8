import { useMemo, useState } from 'react';
import { Button } from '../../components/button.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { useTexts } from '../../messages/texts.tsx';
import type { Content } from './model/content.ts';
import type { Json } from './model/json.ts';
import { type Difference, mergeThreeWay, type Side } from './model/three-way.ts';

interface ThreeWayDialogProps {
  open: boolean;
  onClose(): void;
  base: Content;
  mine: Content;
  theirs: Content;
  /** Who made the other version, and when. */
  about: string;
  /** Goes on with what both say together. */
  onMerge(merged: Content): void;
}

/** What was there, what is on the page, and what somebody else saved meanwhile: side by side, and together. */
export function ThreeWayDialog({ open, onClose, base, mine, theirs, about, onMerge }: ThreeWayDialogProps) {
  const { t } = useTexts();
  const [choices, setChoices] = useState<Record<string, Side>>({});
  const { merged, differences } = useMemo(
    () => mergeThreeWay(base, mine, theirs, (path) => choices[nameOf(path)] ?? 'mine'),
    [base, mine, theirs, choices],
  );
  const clashes = differences.filter(({ clash }) => clash).length;
  return (
    <Dialog
      wide
      open={open}
      onClose={onClose}
      title={t('merge.title')}
      about={
        <>
          {about} {t(clashes === 0 ? 'merge.noClash' : 'merge.clashes', { count: clashes })}
        </>
      }
      actions={
        <>
          <Button onClick={onClose}>{t('action.cancel')}</Button>
          <Button look="main" onClick={() => onMerge(merged)}>
            {t('merge.take')}
          </Button>
        </>
      }
    >
      <table className="w-full table-fixed border-collapse text-left">
        <thead className="text-xs text-quiet">
          <tr>
            <th className="w-40 py-1 pr-2 font-medium">{t('merge.place')}</th>
            <th className="p-1 font-medium">{t('merge.base')}</th>
            <th className="p-1 font-medium">{t('merge.mine')}</th>
            <th className="p-1 font-medium">{t('merge.theirs')}</th>
          </tr>
        </thead>
        <tbody>
          {differences.map((one) => (
            <Row
              key={nameOf(one.path)}
              difference={one}
              choice={one.clash ? (choices[nameOf(one.path)] ?? 'mine') : null}
              onChoose={(side) => setChoices({ ...choices, [nameOf(one.path)]: side })}
            />
          ))}
        </tbody>
      </table>
    </Dialog>
  );
}

function Row({
  difference: { path, base, mine, theirs },
  choice,
  onChoose,
}: {
  difference: Difference;
  choice: Side | null;
  onChoose(side: Side): void;
}) {
  const { t } = useTexts();
  const name = path.slice(1).join(' · ');
  // Without a clash the side that changed it is taken.
  const taken: Side = choice ?? (JSON.stringify(mine) === JSON.stringify(base) ? 'theirs' : 'mine');
  const side = (which: Side, value: Json | undefined) => (
    <td className={`p-1 align-top ${taken === which ? 'bg-good-soft' : ''}`}>
      {choice === null ? (
        <Shown value={value} />
      ) : (
        <label className="flex items-start gap-2">
          <input
            type="radio"
            name={nameOf(path)}
            checked={choice === which}
            onChange={() => onChoose(which)}
            aria-label={t(which === 'mine' ? 'merge.takeMine' : 'merge.takeTheirs', { name })}
            className="mt-0.5 accent-accent"
          />
          <Shown value={value} />
        </label>
      )}
    </td>
  );
  return (
    <tr className="border-t border-line">
      <th scope="row" className="py-1 pr-2 align-top font-medium break-words">
        <bdi>{name}</bdi>
        {choice !== null && <span className="block text-xs font-normal text-warning">{t('merge.bothChanged')}</span>}
      </th>
      <td className="p-1 align-top text-quiet">
        <Shown value={base} />
      </td>
      {side('mine', mine)}
      {side('theirs', theirs)}
    </tr>
  );
}

/** A value as text; what is not there is said. */
function Shown({ value }: { value: Json | undefined }) {
  const { t } = useTexts();
  if (value === undefined) return <span className="text-quiet italic">{t('value.missing')}</span>;
  const text = typeof value === 'string' ? value : JSON.stringify(value, null, 1);
  return (
    <bdi className="line-clamp-6 min-w-0 flex-1 break-words whitespace-pre-wrap">{text === '{}' ? '✓' : text}</bdi>
  );
}

function nameOf(path: string[]): string {
  return JSON.stringify(path);
}
