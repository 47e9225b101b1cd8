import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Combobox } from '../../components/combobox.tsx';
import { Select } from '../../components/field.tsx';
import { folded } from '../../components/marked-words.ts';
import { useFound } from '../../components/use-found.ts';
import { useTexts } from '../../messages/texts.tsx';
import { previewQuery } from '../entity/entity-queries.ts';
import { type CollectionLine, collectionsFound, few } from './collections-query.ts';
import { likeliest } from './likeliest.ts';

/** A collection that can be chosen, by its name. */
interface Line {
  id: string;
  label: string;
}

function linesOf(collections: readonly CollectionLine[]): Line[] {
  return collections.map(({ id, label }) => ({ id, label: label || id }));
}

interface CollectionChoiceProps {
  /** What ties it to its field. */
  ids?: { id: string; 'aria-describedby'?: string; 'aria-invalid'?: true };
  label: string;
  /** An id; empty for none. */
  value: string;
  /** How that one is called where it is not in the list. */
  called?: string | undefined;
  /** What none means; one has to be chosen if omitted. */
  none?: string;
  onChange(id: string): void;
}

/** One of the node's collections: of a list, or, where there are many, found by a part of its name. */
export function CollectionChoice({ ids, label, value, called, none, onChange }: CollectionChoiceProps) {
  const { t } = useTexts();
  const { data } = useQuery(collectionsFound(''));
  const first = linesOf(data?.collections ?? []);
  const nothing = none === undefined ? [] : [{ id: '', label: none }];
  const listed = [...nothing, ...first].find(({ id }) => id === value);
  const isFar = data !== undefined && value !== '' && !listed && !called;
  const { data: known } = useQuery({ ...previewQuery(value), enabled: isFar });
  const chosen = listed ?? { id: value, label: called || known?.label || value };
  const shared = { label, required: none === undefined, onChange };
  if ((data?.total ?? 0) > few)
    return <Found {...shared} ids={ids} chosen={chosen} first={[...nothing, ...first]} total={data?.total ?? 0} />;
  return (
    <Select
      aria-label={ids ? undefined : label}
      {...ids}
      required={shared.required}
      value={value}
      onChange={({ target }) => onChange(target.value)}
    >
      {none === undefined && value === '' && <option value="">{t('collection.choose')}</option>}
      {[...nothing, ...first, ...(called && !listed ? [chosen] : [])].map((one) => (
        <option key={one.id} value={one.id}>
          {one.label.slice(0, 200)}
        </option>
      ))}
    </Select>
  );
}

/** So many of those that fit are offered. */
const most = 50;

interface FoundProps extends Pick<CollectionChoiceProps, 'label' | 'onChange'> {
  ids: CollectionChoiceProps['ids'];
  required: boolean;
  chosen: Line;
  /** What is offered before anything is typed, and how many there are. */
  first: readonly Line[];
  total: number;
}

function Found({ ids, label, required, chosen, first, total, onChange }: FoundProps) {
  const { t, number } = useTexts();
  const [typed, setTyped] = useState<string | null>(null);
  const found = useFound(typed ?? '', collectionsFound);
  const isTyped = typed !== null && typed.trim() !== '';
  // Enter leaves what is chosen as it is, as long as nothing is typed.
  const those = isTyped
    ? [...first.filter((one) => one.id === '' && fits(one, typed)), ...linesOf(found.data?.collections ?? [])]
    : [chosen, ...first.filter(({ id }) => id !== chosen.id)];
  const options = those.filter(({ label: name }) => name !== '').slice(0, most);
  const named = Map.groupBy(options, (one) => one.label);
  const besides = options.some((one) => one.id === '') ? 1 : 0;
  const left = (isTyped ? (found.data?.total ?? 0) : total) + besides - options.length;
  const { id, ...tied } = ids ?? {};
  return (
    <Combobox
      {...(id ? { id } : {})}
      input={{ ...tied, required }}
      label={label}
      placeholder={t('collection.choose')}
      text={typed ?? chosen.label}
      isChoice={typed === null}
      onText={setTyped}
      options={options}
      keyOf={(one) => one.id}
      show={(one) => (
        <>
          <bdi className="line-clamp-2 [overflow-wrap:anywhere]">{one.label}</bdi>
          {(named.get(one.label)?.length ?? 0) > 1 && (
            <code className="block font-mono text-xs text-quiet">{one.id}</code>
          )}
        </>
      )}
      below={left > 0 ? t('list.andMore', { number: number(left) }) : undefined}
      waits={isTyped && found.waits}
      likeliest={likeliest(options, typed ?? '')}
      note={found.error ? t('peer.notFound') : found.waits ? t('state.waiting') : t('peer.nothing')}
      onChoose={(one) => {
        setTyped(null);
        if (one.id !== chosen.id) onChange(one.id);
      }}
      onLeave={() => setTyped(null)}
    />
  );
}

function fits({ label }: Line, text: string): boolean {
  return folded(label).includes(folded(text.trim()));
}
