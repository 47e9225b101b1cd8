import { Columns3 } from 'lucide-react';
import { Button } from '../../components/button.tsx';
import { Menu, MenuCheck, MenuItem, MenuLabel } from '../../components/menu.tsx';
import { useTexts } from '../../messages/texts.tsx';
import { columnTitle } from './column-name.ts';
import type { Facets } from './table-queries.ts';

interface ColumnsMenuProps {
  facets: Facets | undefined;
  columns: readonly string[];
  /** undefined: the usual ones again. */
  onChange(columns: string[] | undefined): void;
}

/** Which columns are shown: facts that every entity has, properties and predicates that the collection's have. */
export function ColumnsMenu({ facets, columns, onChange }: ColumnsMenuProps) {
  const texts = useTexts();
  const { t } = texts;
  const check = (column: string) => (
    <MenuCheck
      key={column}
      checked={columns.includes(column)}
      onChange={(on) => onChange(on ? [...columns, column] : columns.filter((one) => one !== column))}
    >
      <bdi className="max-w-64 truncate">{columnTitle(texts, column)}</bdi>
    </MenuCheck>
  );
  const properties = facets?.properties.filter(({ name }) => name !== 'label') ?? [];
  const relationships = facets?.relationships.filter(({ name }) => name !== 'collection') ?? [];
  return (
    <Menu
      trigger={
        <Button>
          <Columns3 size={15} aria-hidden />
          {t('table.columns')}
        </Button>
      }
    >
      <MenuItem onSelect={() => onChange(undefined)}>{t('table.usualColumns')}</MenuItem>
      <MenuLabel>{t('table.facts')}</MenuLabel>
      {['type', 'created_at', 'updated_at', 'ver', 'id'].map(check)}
      {properties.length > 0 && <MenuLabel>{t('entity.properties')}</MenuLabel>}
      {properties.map(({ name }) => check(`properties.${name}`))}
      {relationships.length > 0 && <MenuLabel>{t('entity.relationships')}</MenuLabel>}
      {relationships.map(({ name }) => check(`relationships.${name}`))}
    </Menu>
  );
}
