import { useState } from 'react';
import { Button } from '../../components/button.tsx';
import { ShowMore } from '../../components/show-more.tsx';
import { useTexts } from '../../messages/texts.tsx';
import { ChangedText } from '../entity/changed-text.tsx';
import { excerpt } from '../entity/model/changes.ts';
import { contentOf } from '../entity/model/content.ts';
import { type Json, textOf } from '../entity/model/json.ts';
import type { Side } from '../entity/model/three-way.ts';
import { PeerName } from '../entity/peer-name.tsx';
import type { OpenConflict } from './sync-queries.ts';

/** So many properties and relationships are shown, and so many more each time that more are asked for. */
const step = 300;

/** One side deleted what the other changed: which of the two is to stand. */
export function DeletionChoice({
  sides: { ours, theirs },
  choice,
  onChoose,
}: {
  sides: OpenConflict['sides'];
  choice: Side;
  onChoose(side: Side): void;
}) {
  const { t } = useTexts();
  const kept = ours.deleted ? theirs : ours;
  const [most, setMost] = useState(step);
  const content = contentOf(kept);
  const properties = Object.entries(content.properties).slice(0, most);
  const relationships = content.relationships.slice(0, most);
  const option = (side: Side, deleted: boolean) => (
    <label
      className={`flex items-start gap-2 rounded-md border border-line p-3 ${choice === side ? 'bg-good-soft' : 'bg-surface'}`}
    >
      <input
        type="radio"
        name="deletion"
        className="mt-0.5 accent-accent"
        checked={choice === side}
        onChange={() => onChoose(side)}
      />
      <span>
        <span className="font-medium">{t(side === 'mine' ? 'merge.mine' : 'merge.theirs')}: </span>
        {t(deleted ? 'sync.takeDeletion' : 'sync.takeKept')}
      </span>
    </label>
  );
  return (
    <div className="space-y-4">
      <fieldset className="space-y-2">
        <legend className="mb-2">{t(ours.deleted ? 'sync.deletedHere' : 'sync.deletedThere')}</legend>
        {option('mine', ours.deleted)}
        {option('theirs', theirs.deleted)}
      </fieldset>
      <table className="w-full table-fixed border-collapse text-left">
        <caption className="pb-1 text-left text-xs text-quiet">{t('sync.keptSays')}</caption>
        <tbody>
          {properties.map(([name, value]) => (
            <tr key={name} className="border-t border-line">
              <th scope="row" className="w-40 py-1 pr-2 align-top font-medium break-words">
                <bdi>{name}</bdi>
              </th>
              <td className="p-1 align-top">
                <Value value={value} />
              </td>
            </tr>
          ))}
          {relationships.map(({ predicate, peer, peer_label: label, properties: said = {} }) => (
            <tr key={`${predicate} ${peer}`} className="border-t border-line">
              <th scope="row" className="w-40 py-1 pr-2 align-top font-medium break-words">
                <bdi>{predicate}</bdi>
              </th>
              <td className="p-1 align-top break-words">
                → <PeerName id={peer} label={label ?? undefined} />
                {Object.keys(said).length > 0 && <Value value={said as Json} />}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <ShowMore
        total={Object.keys(content.properties).length + content.relationships.length}
        listed={properties.length + relationships.length}
        onMore={() => setMost(most + step)}
      />
    </div>
  );
}

/** A value as text; of a long one only a part, until somebody wants all of it. */
function Value({ value }: { value: Json }) {
  const { t } = useTexts();
  const [whole, setWhole] = useState(false);
  const text = textOf(value);
  const short = excerpt([{ text, side: 'both' }]);
  return (
    <>
      <ChangedText pieces={whole ? [{ text, side: 'both' }] : short} />
      {short.some((piece) => piece.text !== text) && (
        <Button small aria-expanded={whole} className="mt-1 flex" onClick={() => setWhole(!whole)}>
          {t(whole ? 'merge.less' : 'merge.whole')}
        </Button>
      )}
    </>
  );
}
