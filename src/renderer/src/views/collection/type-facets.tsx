import { Button } from '../../components/button.tsx';
import { classes } from '../../components/classes.ts';
import { Menu, MenuCheck } from '../../components/menu.tsx';
import { useTexts } from '../../messages/texts.tsx';
import type { Facets } from './table-queries.ts';

interface TypeFacetsProps {
  /** Undefined until they are known. */
  types: Facets['types'] | undefined;
  chosen: readonly string[];
  onChange(types: string[]): void;
}

/** So many types stand side by side, the others in a menu. */
const inLine = 6;

/**
 * The types of a collection with how many there are of each; those that are chosen are shown, all if none is. A chosen one
 * always stands in line, also where there is nothing of it.
 */
export function TypeFacets({ types: known, chosen, onChange }: TypeFacetsProps) {
  const { t, number } = useTexts();
  const toggle = (type: string) =>
    onChange(chosen.includes(type) ? chosen.filter((one) => one !== type) : [...chosen, type]);
  const types = known ?? [];
  const rest = types.slice(inLine);
  const there = new Set(types.map(({ type }) => type));
  const missing = chosen.filter((type) => !there.has(type)).map((type) => ({ type, count: known && 0 }));
  const first = [...types.slice(0, inLine), ...rest.filter(({ type }) => chosen.includes(type)), ...missing];
  return (
    <fieldset className="flex flex-wrap items-center gap-1">
      <legend className="sr-only">{t('table.types')}</legend>
      {first.map(({ type, count }) => (
        <button
          key={type}
          type="button"
          aria-pressed={chosen.includes(type)}
          onClick={() => toggle(type)}
          className={classes(
            'flex h-7 max-w-56 items-center gap-1.5 rounded-full border px-2.5 text-xs',
            chosen.includes(type)
              ? 'border-accent bg-accent-soft font-medium text-accent-strong'
              : 'border-line bg-surface hover:bg-sunken',
          )}
        >
          <bdi className="truncate">{type}</bdi>{' '}
          {count !== undefined && <span className="text-quiet tabular-nums">{number(count)}</span>}
        </button>
      ))}
      {rest.length > 0 && (
        <Menu trigger={<Button small>{t('table.moreTypes', { count: rest.length })}</Button>}>
          {rest.map(({ type, count }) => (
            <MenuCheck key={type} checked={chosen.includes(type)} onChange={() => toggle(type)}>
              <bdi className="max-w-72 flex-1 truncate">{type}</bdi>
              <span className="text-xs text-quiet tabular-nums">{number(count)}</span>
            </MenuCheck>
          ))}
        </Menu>
      )}
    </fieldset>
  );
}
