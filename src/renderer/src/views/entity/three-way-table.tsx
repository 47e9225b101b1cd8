import { useTexts } from '../../messages/texts.tsx';
import { keyOf, type Relationship } from './model/content.ts';
import type { Json } from './model/json.ts';
import type { Difference, Side } from './model/three-way.ts';
import { PeerName } from './peer-name.tsx';

interface ThreeWayTableProps {
  differences: readonly Difference[];
  /** By `placeName`; mine where nothing was chosen. */
  choices: Readonly<Record<string, Side>>;
  onChoose(place: string, side: Side): void;
  /** All that the places may be of, for the names of their peers. */
  relationships: readonly Relationship[];
}

/** Each place that differs: what was there, and what both sides made of it; where both changed it, one is chosen. */
export function ThreeWayTable({ differences, choices, onChoose, relationships }: ThreeWayTableProps) {
  const { t } = useTexts();
  const labels = new Map(relationships.map((one) => [keyOf(one), one.peer_label]));
  return (
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
            key={placeName(one.path)}
            difference={one}
            peer={one.path[0] === 'relationships' ? labels.get(one.path.slice(1, 3).join(' ')) : undefined}
            choice={one.clash ? (choices[placeName(one.path)] ?? 'mine') : null}
            onChoose={(side) => onChoose(placeName(one.path), side)}
          />
        ))}
      </tbody>
    </table>
  );
}

function Row({
  difference: { path, base, mine, theirs },
  peer,
  choice,
  onChoose,
}: {
  difference: Difference;
  peer: string | undefined;
  choice: Side | null;
  onChoose(side: Side): void;
}) {
  const { t } = useTexts();
  const isRelationship = path[0] === 'relationships';
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
            name={placeName(path)}
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
        {isRelationship ? (
          <>
            → {path[1]} <PeerName id={path[2] ?? ''} label={peer} />
          </>
        ) : (
          <bdi>{name}</bdi>
        )}
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
export function Shown({ value }: { value: Json | undefined }) {
  const { t } = useTexts();
  if (value === undefined) return <span className="text-quiet italic">{t('value.missing')}</span>;
  const text = typeof value === 'string' ? value : JSON.stringify(value, null, 1);
  return (
    <bdi className="line-clamp-6 min-w-0 flex-1 break-words whitespace-pre-wrap">{text === '{}' ? '✓' : text}</bdi>
  );
}

/** A place as one name. */
export function placeName(path: string[]): string {
  return JSON.stringify(path);
}
