import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Combobox } from '../../components/combobox.tsx';
import { Select } from '../../components/field.tsx';
import { useTexts } from '../../messages/texts.tsx';
import { collectionsQuery } from './collections-query.ts';
import { fitting, type Line, linesOf, mostOffered } from './fitting.ts';

/** So many the browser's own list has; of thousands it takes a second to come, and nobody finds anything in it. */
const few = 200;
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
  const { data } = useQuery(collectionsQuery);
  const all = linesOf(data?.collections ?? []);
  const nothing = none === undefined ? [] : [{ id: '', label: none }];
  const chosen = [...nothing, ...all].find(({ id }) => id === value) ?? { id: value, label: called || value };
  const shared = { label, required: none === undefined, onChange };
  if (all.length > few) return <Found {...shared} ids={ids} chosen={chosen} all={[...nothing, ...all]} />;
  return (
    <Select
      aria-label={ids ? undefined : label}
      {...ids}
      required={shared.required}
      value={value}
      onChange={({ target }) => onChange(target.value)}
    >
      {none === undefined && value === '' && <option value="">{t('collection.choose')}</option>}
      {[...nothing, ...all, ...(called && !all.some(({ id }) => id === value) ? [chosen] : [])].map((one) => (
        <option key={one.id} value={one.id}>
          {one.label.slice(0, 200)}
        </option>
      ))}
    </Select>
  );
}

interface FoundProps extends Pick<CollectionChoiceProps, 'label' | 'onChange'> {
  ids: CollectionChoiceProps['ids'];
  required: boolean;
  chosen: Line;
  all: readonly Line[];
}

function Found({ ids, label, required, chosen, all, onChange }: FoundProps) {
  const { t, number } = useTexts();
  const [typed, setTyped] = useState<string | null>(null);
  // Enter leaves what is chosen as it is, as long as nothing is typed.
  const those = typed === null ? [chosen, ...all.filter(({ id }) => id !== chosen.id)] : fitting(all, typed);
  const known = those.filter(({ label: name }) => name !== '');
  const options = known.slice(0, mostOffered);
  const named = Map.groupBy(options, (one) => one.label);
  const left = known.length - options.length;
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
      note={t('peer.nothing')}
      onChoose={(one) => {
        setTyped(null);
        if (one.id !== chosen.id) onChange(one.id);
      }}
      onLeave={() => setTyped(null)}
    />
  );
}
