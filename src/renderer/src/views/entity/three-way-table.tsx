import { ShowMore } from '../../components/show-more.tsx';
import { useTexts } from '../../messages/texts.tsx';
import { keyOf, type Relationship } from './model/content.ts';
import type { Difference, Side } from './model/three-way.ts';
import { ThreeWayRow } from './three-way-row.tsx';

interface ThreeWayTableProps {
  /** Of `total`. */
  shown: readonly Difference[];
  total: number;
  onMore(): void;
  /** Whether it is known what was there before. */
  based?: boolean;
  /** By `placeName`; mine where nothing was chosen. */
  choices: Readonly<Record<string, Side>>;
  onChoose(place: string, side: Side): void;
  /** All that the places may be of, for the names of their peers. */
  relationships: readonly Relationship[];
}

/** Each place that differs: what was there, and what both sides made of it; where both changed it, one is chosen. */
export function ThreeWayTable(props: ThreeWayTableProps) {
  const { shown, total, onMore, based = true, choices, onChoose, relationships } = props;
  const { t } = useTexts();
  const labels = new Map(relationships.map((one) => [keyOf(one), one.peer_label]));
  return (
    <>
      <table className="w-full table-fixed border-collapse text-left">
        <thead className="text-xs text-quiet">
          <tr>
            <th className="w-40 py-1 pr-2 font-medium">{t('merge.place')}</th>
            {based && <th className="p-1 font-medium">{t('merge.base')}</th>}
            <th className="p-1 font-medium">{t('merge.mine')}</th>
            <th className="p-1 font-medium">{t('merge.theirs')}</th>
          </tr>
        </thead>
        <tbody>
          {shown.map((one) => (
            <ThreeWayRow
              key={placeName(one.path)}
              place={placeName(one.path)}
              difference={one}
              based={based}
              peer={one.path[0] === 'relationships' ? labels.get(one.path.slice(1, 3).join(' ')) : undefined}
              choice={one.clash ? (choices[placeName(one.path)] ?? 'mine') : null}
              onChoose={(side) => onChoose(placeName(one.path), side)}
            />
          ))}
        </tbody>
      </table>
      <ShowMore total={total} listed={shown.length} onMore={onMore} className="mt-1" />
    </>
  );
}

/** A place as one name. */
export function placeName(path: string[]): string {
  return JSON.stringify(path);
}
