import { ChevronDown, ListFilter } from 'lucide-react';
import { useState } from 'react';
import { ShowMore } from '../../components/show-more.tsx';
import { useTexts } from '../../messages/texts.tsx';
import type { Counts } from './picture.ts';

/** So many are shown, and so many more each time that more are asked for. */
const step = 200;

interface LegendProps {
  counts: Counts;
  without: { predicates: readonly string[]; types: readonly string[] };
  ofType(type: string): string;
  onPredicates(without: string[]): void;
  onTypes(without: string[]): void;
}

/** Which colour is which type, and of what there is how much; each can be left out. */
export function Legend({ counts, without, ofType, onPredicates, onTypes }: LegendProps) {
  const { t } = useTexts();
  return (
    <details
      open={window.matchMedia('(min-width: 64rem)').matches}
      className="group max-h-48 shrink-0 overflow-auto border-line bg-surface max-lg:border-b lg:max-h-none lg:border-r lg:open:w-56"
    >
      <summary className="sticky top-0 flex items-center gap-2 bg-surface px-3 py-1.5 font-medium">
        <ListFilter size={14} aria-hidden />
        {t('graph.shown')}
        <ChevronDown size={14} className="ml-auto text-quiet group-open:rotate-180" aria-hidden />
      </summary>
      <Choices
        title={t('table.types')}
        choices={counts.types}
        without={without.types}
        onChange={onTypes}
        colour={ofType}
        nameless={t('graph.elsewhere')}
      />
      <Choices
        title={t('entity.relationships')}
        choices={counts.predicates}
        without={without.predicates}
        onChange={onPredicates}
      />
    </details>
  );
}

interface ChoicesProps {
  title: string;
  choices: Counts['types'];
  without: readonly string[];
  onChange(without: string[]): void;
  colour?(name: string): string;
  nameless?: string;
}

function Choices({ title, choices, without, onChange, colour, nameless }: ChoicesProps) {
  const { number } = useTexts();
  const [most, setMost] = useState(step);
  const toggle = (name: string) =>
    onChange(without.includes(name) ? without.filter((one) => one !== name) : [...without, name]);
  return (
    <fieldset className="min-w-0 border-t border-line px-3 py-1.5">
      <legend className="float-left mb-0.5 w-full text-xs font-medium text-quiet">{title}</legend>
      {choices.slice(0, most).map(({ name, count }) => (
        <label key={name} className="clear-both flex items-center gap-2 py-0.5">
          <input type="checkbox" checked={!without.includes(name)} onChange={() => toggle(name)} />
          {colour && (
            <span className="size-2.5 shrink-0 rounded-full" style={{ background: colour(name) }} aria-hidden />
          )}
          <bdi className="min-w-0 flex-1 truncate">{name.slice(0, 200) || nameless}</bdi>
          <span className="text-xs text-quiet tabular-nums">{number(count)}</span>
        </label>
      ))}
      <ShowMore total={choices.length} listed={most} onMore={() => setMost(most + step)} className="clear-both" />
    </fieldset>
  );
}
