import { useQuery } from '@tanstack/react-query';
import { ArrowDown, ArrowUp } from 'lucide-react';
import { useRef, useState } from 'react';
import { Button } from '../../components/button.tsx';
import { KeyCaps } from '../../components/key-caps.tsx';
import { Moment } from '../../components/moment.tsx';
import { Problem } from '../../components/problem.tsx';
import { ShowMore } from '../../components/show-more.tsx';
import { Waiting } from '../../components/waiting.tsx';
import { useTexts } from '../../messages/texts.tsx';
import { byKey, contentOf, keyOf, type Relationship, sameRelationship } from '../entity/model/content.ts';
import { differsUnseen, type Json, type JsonMap, looksLike, member, same, textOf } from '../entity/model/json.ts';
import { kindOf } from '../entity/model/kinds.ts';
import { PeerName } from '../entity/peer-name.tsx';
import { type Historic, versionQuery } from './history-queries.ts';
import { difference, hidesMore, useDifferences } from './use-differences.ts';
import { type Piece, wordDiff } from './word-diff.ts';

/** So many properties and relationships are shown, and so many more each time that more are asked for. */
const step = 300;

/** Two versions side by side: properties, texts by word, and relationships. */
export function Comparison({ from, to }: { from: string; to: string }) {
  const { t } = useTexts();
  const [all, setAll] = useState(false);
  const [most, setMost] = useState(step);
  const section = useRef<HTMLElement>(null);
  const showMore = () => setMost(most + step);
  const goBy = useDifferences(section, showMore);
  const [old, now] = [useQuery(versionQuery(from)), useQuery(versionQuery(to))];
  const error = old.error ?? now.error;
  if (error) return <Problem error={error} retry={() => void Promise.all([old.refetch(), now.refetch()])} />;
  if (!now.data || (from !== '' && !old.data)) return <Waiting />;
  const before = old.data && from !== '' ? contentOf(old.data) : { properties: {}, relationships: [] };
  const after = contentOf(now.data);
  const names = [...new Set([...Object.keys(after.properties), ...Object.keys(before.properties)])];
  const changed = names.filter((name) => !same(member(before.properties, name), member(after.properties, name)));
  const [x, y] = [byKey(before.relationships), byKey(after.relationships)];
  const differs = (one: Relationship) => !sameRelationship(x.get(keyOf(one)), y.get(keyOf(one)));
  const either = [...new Map([...x, ...y]).values()];
  const different = either.filter(differs);
  const relationships = all ? either : different;
  const properties = all ? names : changed;
  // Whatever is left out for now, differences are not.
  const inSight = new Set([...relationships.slice(0, most), ...different.slice(0, most)]);
  const namesInSight = new Set([...properties.slice(0, most), ...changed.slice(0, most)]);
  return (
    <section ref={section} aria-label={t('history.comparison')} className="min-w-0 p-5">
      <div className="mb-3 flex flex-wrap items-center gap-x-4 gap-y-2">
        <label className="flex flex-1 items-center gap-2">
          <input type="checkbox" className="size-4 accent-accent" checked={all} onChange={() => setAll(!all)} />
          {t('history.showAll')}
        </label>
        <span className="flex flex-wrap gap-1">
          <Button small onClick={() => goBy(-1)}>
            <ArrowUp size={13} aria-hidden />
            {t('history.previousDifference')}
            <KeyCaps keys="p" />
          </Button>
          <Button small onClick={() => goBy(1)}>
            <ArrowDown size={13} aria-hidden />
            {t('history.nextDifference')}
            <KeyCaps keys="n" />
          </Button>
        </span>
      </div>
      <table className="w-full table-fixed border-collapse text-left">
        <thead>
          <tr className="text-xs text-quiet">
            <th className="w-36 py-1 pr-2 font-medium">{t('merge.place')}</th>
            <Head version={from === '' ? undefined : old.data} />
            <Head version={now.data} />
          </tr>
        </thead>
        <tbody {...(changed.length > most && hidesMore)}>
          {properties
            .filter((name) => namesInSight.has(name))
            .map((name) => (
              <PropertyRow key={name} name={name} before={before.properties} after={after.properties} />
            ))}
        </tbody>
        <tbody {...(different.length > most && hidesMore)}>
          {relationships
            .filter((one) => inSight.has(one))
            .map((one) => (
              <RelationshipRow key={keyOf(one)} before={x.get(keyOf(one))} after={y.get(keyOf(one))} />
            ))}
        </tbody>
      </table>
      <ShowMore
        total={properties.length + relationships.length}
        listed={namesInSight.size + inSight.size}
        onMore={showMore}
        className="mt-1"
      />
      {properties.length + relationships.length === 0 && (
        <p className="py-4 text-quiet">{t(now.data.deleted ? 'history.deletion' : 'history.same')}</p>
      )}
    </section>
  );
}

function Head({ version }: { version: Historic | undefined }) {
  const { t } = useTexts();
  return (
    <th className="p-1 font-medium">
      {version ? (
        <>
          {t('entity.version', { ver: version.ver })} · <Moment at={version.ts} />
        </>
      ) : (
        t('history.nothingBefore')
      )}
    </th>
  );
}

function PropertyRow({ name, before, after }: { name: string; before: JsonMap; after: JsonMap }) {
  const { t } = useTexts();
  const [old, now] = [member(before, name), member(after, name)];
  const isCompared = old !== undefined && now !== undefined && !same(old, now) && !looksLike(old, now);
  const pieces = isCompared ? wordDiff(textOf(old), textOf(now)) : null;
  return (
    <tr {...(pieces || same(old, now) ? {} : difference)} className="border-t border-line">
      <th scope="row" className="py-1 pr-2 align-top font-medium break-words">
        <bdi>{name}</bdi>
        {isCompared && differsUnseen(old, now) && (
          <span className="block text-xs font-normal text-quiet">{t('value.unseen')}</span>
        )}
      </th>
      <Side value={old} other={now} pieces={pieces} side="old" />
      <Side value={now} other={old} pieces={pieces} side="new" />
    </tr>
  );
}

const tones = { old: 'bg-danger-soft', new: 'bg-good-soft' };

function Side({
  value,
  other,
  pieces,
  side,
}: {
  value: Json | undefined;
  other: Json | undefined;
  pieces: Piece[] | null;
  side: 'old' | 'new';
}) {
  const { t } = useTexts();
  if (value === undefined) return <td className="p-1 align-top text-quiet italic">{t('value.missing')}</td>;
  // By its text alone nobody would see what changed.
  const isKind = other !== undefined && looksLike(value, other);
  const whole = other === undefined || isKind;
  return (
    <td className={`p-1 align-top break-words whitespace-pre-wrap ${whole ? tones[side] : ''}`}>
      <bdi>
        {pieces
          ? pieces
              .filter((piece) => piece.side === 'both' || piece.side === side)
              .map((piece, i) => {
                const Mark = side === 'old' ? 'del' : 'ins';
                return piece.side === 'both' ? (
                  piece.text
                ) : (
                  // biome-ignore lint/suspicious/noArrayIndexKey: a piece of a text has no other name
                  <Mark key={i} {...difference} className={`rounded-xs no-underline ${tones[side]} font-medium`}>
                    {piece.text}
                  </Mark>
                );
              })
          : beginning(textOf(value))}
      </bdi>
      {isKind && <span className="block text-xs text-quiet">{t(`kind.${kindOf(value)}`)}</span>}
    </td>
  );
}

function RelationshipRow({ before, after }: { before: Relationship | undefined; after: Relationship | undefined }) {
  const { t } = useTexts();
  const { predicate } = (before ?? after) as Relationship;
  const cell = (one: Relationship | undefined, tone: string) =>
    one ? (
      <td className={`p-1 align-top break-words ${sameRelationship(before, after) ? '' : tone}`}>
        <PeerName id={one.peer} label={one.peer_label} />
        {one.properties && Object.keys(one.properties).length > 0 && (
          <code className="block font-mono text-xs text-quiet">{JSON.stringify(one.properties)}</code>
        )}
      </td>
    ) : (
      <td className="p-1 align-top text-quiet italic">{t('value.missing')}</td>
    );
  return (
    <tr {...(sameRelationship(before, after) ? {} : difference)} className="border-t border-line">
      <th scope="row" className="py-1 pr-2 align-top font-medium break-words">
        → {predicate}
      </th>
      {cell(before, tones.old)}
      {cell(after, tones.new)}
    </tr>
  );
}

function beginning(text: string): string {
  return text.length > 5000 ? `${text.slice(0, 5000)}…` : text;
}
