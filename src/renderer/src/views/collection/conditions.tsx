import { ListFilterPlus, X } from 'lucide-react';
import { Popover } from 'radix-ui';
import { useState } from 'react';
import { Button, IconButton } from '../../components/button.tsx';
import { Field, Input, Select } from '../../components/field.tsx';
import { useTexts } from '../../messages/texts.tsx';
import { columnTitle } from './column-name.ts';
import { type Condition, labelPlace, mostConditions, operators, takesValue } from './table-address.ts';
import type { Facets } from './table-queries.ts';

interface ConditionsProps {
  where: readonly Condition[];
  facets: Facets | undefined;
  onChange(where: Condition[]): void;
}

/** What rows have to meet: each condition can be taken away, and another one added. */
export function Conditions({ where, facets, onChange }: ConditionsProps) {
  const texts = useTexts();
  const { t } = texts;
  const inBox = labelPlace(where);
  const others = where.length - (inBox < 0 ? 0 : 1);
  return (
    <>
      {where.map((one, i) =>
        i === inBox ? null : (
          <span
            key={`${one.column} ${one.op} ${one.value}`}
            className="flex h-7 max-w-80 items-center gap-1 rounded-full border border-accent bg-accent-soft pl-2.5 text-xs"
          >
            <span className="truncate">
              <bdi className="font-medium">{columnTitle(texts, one.column)}</bdi> {t(`operator.${one.op}`)}{' '}
              <bdi>{one.value}</bdi>
            </span>
            <IconButton
              label={t('table.removeCondition')}
              small
              onClick={() => onChange(where.filter((_, at) => at !== i))}
            >
              <X size={12} aria-hidden />
            </IconButton>
          </span>
        ),
      )}
      {/* One is left to the box. */}
      <AddCondition full={others >= mostConditions - 1} facets={facets} onAdd={(one) => onChange([...where, one])} />
    </>
  );
}

interface AddConditionProps {
  full: boolean;
  facets: Facets | undefined;
  onAdd(one: Condition): void;
}

function AddCondition({ full, facets, onAdd }: AddConditionProps) {
  const texts = useTexts();
  const { t } = texts;
  const [open, setOpen] = useState(false);
  const [condition, setCondition] = useState<Condition>({ column: 'label', op: 'contains', value: '' });
  const columns = [
    ...['label', 'type', 'created_at', 'updated_at', 'ver'],
    ...(facets?.properties ?? []).filter(({ name }) => name !== 'label').map(({ name }) => `properties.${name}`),
    ...(facets?.relationships ?? [])
      .filter(({ name }) => name !== 'collection')
      .map(({ name }) => `relationships.${name}`),
  ];
  return (
    <Popover.Root open={open} onOpenChange={setOpen}>
      <Popover.Trigger asChild>
        <Button small>
          <ListFilterPlus size={14} aria-hidden />
          {t('table.addCondition')}
        </Button>
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Content
          align="start"
          sideOffset={4}
          aria-label={t('table.addCondition')}
          className="z-50 w-72 rounded-md border border-line bg-surface p-3 shadow-lg"
        >
          {full && <p>{t('table.fullConditions')}</p>}
          <form
            hidden={full}
            className="space-y-3"
            onSubmit={(event) => {
              event.preventDefault();
              const { column, op, value } = condition;
              onAdd({ column, op, ...(takesValue(op) ? { value: value ?? '' } : {}) });
              setOpen(false);
            }}
          >
            <Field label={t('table.column')}>
              {(ids) => (
                <Select
                  {...ids}
                  value={condition.column}
                  onChange={({ target }) => setCondition({ ...condition, column: target.value })}
                >
                  {columns.map((column) => (
                    <option key={column} value={column}>
                      {columnTitle(texts, column)}
                    </option>
                  ))}
                </Select>
              )}
            </Field>
            <Field label={t('table.operator')}>
              {(ids) => (
                <Select
                  {...ids}
                  value={condition.op}
                  onChange={({ target }) => setCondition({ ...condition, op: target.value as Condition['op'] })}
                >
                  {operators.map((op) => (
                    <option key={op} value={op}>
                      {t(`operator.${op}`)}
                    </option>
                  ))}
                </Select>
              )}
            </Field>
            {takesValue(condition.op) && (
              <Field label={t('table.value')}>
                {(ids) => (
                  <Input
                    {...ids}
                    required
                    maxLength={500}
                    value={condition.value ?? ''}
                    onChange={({ target }) => setCondition({ ...condition, value: target.value })}
                  />
                )}
              </Field>
            )}
            <Button look="main" type="submit" className="w-full">
              {t('table.addCondition')}
            </Button>
          </form>
        </Popover.Content>
      </Popover.Portal>
    </Popover.Root>
  );
}
