import { Input, Select } from '../../../components/field.tsx';
import { useTexts } from '../../../messages/texts.tsx';
import { type Column, type ColumnUse, type PropertyKind, propertyKinds } from './mapping-draft.ts';

interface ColumnRowProps {
  column: Column;
  use: ColumnUse;
  /** What is told apart by it, or shown as the name. */
  role: 'id' | 'label' | null;
  onChange(use: ColumnUse): void;
}

const uses = ['property', 'relationship', 'none'] as const;

/** One column of the source: what it holds, and what becomes of it. */
export function ColumnRow({ column, use, role, onChange }: ColumnRowProps) {
  const { t, number } = useTexts();
  const { name, examples, filled } = column;
  const set = (change: Partial<ColumnUse>) => onChange({ ...use, ...change });
  return (
    <li className="grid grid-cols-1 gap-x-3 gap-y-1.5 border-b border-line px-4 py-2.5 sm:grid-cols-[minmax(0,1fr)_minmax(0,2.4fr)]">
      <div className="min-w-0">
        <p className="flex items-center gap-2">
          <bdi className="min-w-0 truncate font-medium">{name}</bdi>
          {role && <span className="rounded-full bg-accent-soft px-2 text-xs">{t(`import.role.${role}`)}</span>}
        </p>
        <p className="truncate text-xs text-quiet" title={examples.join('\n')}>
          {filled === 0 ? t('import.emptyColumn') : <bdi>{examples.slice(0, 3).join(' · ')}</bdi>}
        </p>
        <p className="sr-only">{t('import.filled', { count: filled, number: number(filled) })}</p>
      </div>
      <div className="flex min-w-0 flex-wrap items-start gap-1.5">
        <Select
          aria-label={t('import.useOf', { column: name })}
          value={use.use}
          onChange={({ target }) => set({ use: target.value as ColumnUse['use'] })}
          className="w-32"
        >
          {uses.map((one) => (
            <option key={one} value={one}>
              {t(`import.use.${one}`)}
            </option>
          ))}
        </Select>
        {use.use === 'property' && (
          <>
            <Input
              aria-label={t('import.nameOf', { column: name })}
              value={use.name}
              maxLength={200}
              onChange={({ target }) => set({ name: target.value })}
              className="w-32 flex-1"
            />
            <Select
              aria-label={t('import.kindOf', { column: name })}
              value={use.kind}
              onChange={({ target }) => set({ kind: target.value as PropertyKind })}
              className="w-24"
            >
              {propertyKinds.map((kind) => (
                <option key={kind} value={kind}>
                  {t(kind === '' ? 'import.asItIs' : kind === 'json' ? 'import.json' : `kind.${kind}`)}
                </option>
              ))}
            </Select>
          </>
        )}
        {use.use === 'relationship' && (
          <>
            <Input
              aria-label={t('import.predicateOf', { column: name })}
              value={use.predicate}
              maxLength={50}
              onChange={({ target }) => set({ predicate: target.value })}
              className="w-16 flex-1"
            />
            <span className="self-center text-quiet" aria-hidden>
              →
            </span>
            <Input
              aria-label={t('import.peerTypeOf', { column: name })}
              value={use.peerType}
              maxLength={100}
              onChange={({ target }) => set({ peerType: target.value })}
              className="w-16 flex-1"
            />
            <Input
              aria-label={t('import.splitOf', { column: name })}
              value={use.split}
              maxLength={10}
              placeholder={t('import.splitPlaceholder')}
              title={t('import.splitOf', { column: name })}
              onChange={({ target }) => set({ split: target.value })}
              className="w-14"
            />
          </>
        )}
      </div>
    </li>
  );
}
