import { useMemo, useState } from 'react';
import { Button } from '../../components/button.tsx';
import { useTexts } from '../../messages/texts.tsx';
import type { Piece } from '../history/word-diff.ts';
import { ChangedText } from './changed-text.tsx';
import { changesOf, excerpt } from './model/changes.ts';
import { isMap, type Json, same } from './model/json.ts';
import { kindOf } from './model/kinds.ts';
import type { Difference, Side } from './model/three-way.ts';
import { PeerName } from './peer-name.tsx';

interface ThreeWayRowProps {
  difference: Difference;
  /** Whether it is known what was there before. */
  based: boolean;
  /** The name of the place. */
  place: string;
  /** What the peer of a relationship is called. */
  peer: string | undefined;
  /** null where only one side changed it. */
  choice: Side | null;
  onChoose(side: Side): void;
}

/** One place that differs: what was there, and what of it each side took away and added. */
export function ThreeWayRow({ difference, based, place, peer, choice, onChoose }: ThreeWayRowProps) {
  const { t } = useTexts();
  const { path, base, mine, theirs } = difference;
  const [whole, setWhole] = useState(false);
  const changes = useMemo(() => changesOf({ base, mine, theirs }), [base, mine, theirs]);
  const isRelationship = path[0] === 'relationships';
  const name = path.slice(1).join(' · ');
  const isLong = [changes.base, changes.mine, changes.theirs].some(
    (pieces) => pieces && excerpt(pieces).some(({ text }, i) => text !== pieces[i]?.text),
  );
  // Without a clash the side that changed it is taken.
  const taken: Side = choice ?? (same(mine, base) ? 'theirs' : 'mine');
  const shown = (value: Json | undefined, pieces: Piece[] | null) => {
    if (value === undefined || pieces === null) return <span className="text-quiet italic">{t('value.missing')}</span>;
    if (isRelationship && isMap(value) && Object.keys(value).length === 0) return '✓';
    return (
      <span className="min-w-0 flex-1">
        <ChangedText pieces={whole ? pieces : excerpt(pieces)} />
        {changes.alike && <span className="block text-xs text-quiet">{t(`kind.${kindOf(value)}`)}</span>}
      </span>
    );
  };
  const side = (which: Side) => (
    <td className={`p-1 align-top ${taken === which ? 'bg-good-soft' : ''}`}>
      {choice === null ? (
        shown(difference[which], changes[which])
      ) : (
        <label className="flex items-start gap-2">
          <input
            type="radio"
            name={place}
            checked={choice === which}
            onChange={() => onChoose(which)}
            aria-label={t(which === 'mine' ? 'merge.takeMine' : 'merge.takeTheirs', { name })}
            className="mt-0.5 accent-accent"
          />
          {shown(difference[which], changes[which])}
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
        {based && choice !== null && (
          <span className="block text-xs font-normal text-warning">{t('merge.bothChanged')}</span>
        )}
        {changes.unseen && <span className="block text-xs font-normal text-quiet">{t('value.unseen')}</span>}
        {isLong && (
          <Button small aria-expanded={whole} className="mt-1" onClick={() => setWhole(!whole)}>
            {t(whole ? 'merge.less' : 'merge.whole')}
          </Button>
        )}
      </th>
      {based && <td className="p-1 align-top text-quiet">{shown(base, changes.base)}</td>}
      {side('mine')}
      {side('theirs')}
    </tr>
  );
}
