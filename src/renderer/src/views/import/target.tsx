import { useQuery } from '@tanstack/react-query';
import { useRef } from 'react';
import { useCommands } from '../../commands/commands.ts';
import { Field, Input, Select } from '../../components/field.tsx';
import { useTexts } from '../../messages/texts.tsx';
import { collectionsQuery } from '../collections/collections-query.ts';

/** Where something goes: a collection that is there, or a new one of a name. */
export interface Target {
  /** An id; empty for a new one. */
  collection: string;
  label: string;
}

/** What the node takes as a target: an id, or a name that makes a collection. */
export function targetText({ collection, label }: Target): string {
  return collection || label.trim();
}

export function TargetChoice({ target, onChange }: { target: Target; onChange(target: Target): void }) {
  const { t } = useTexts();
  const list = useQuery(collectionsQuery);
  const place = useRef<HTMLDivElement>(null);
  useCommands([
    {
      id: 'import-target',
      label: t('import.target'),
      group: t('group.import'),
      keys: ['c'],
      run: () => [...(place.current?.querySelectorAll<HTMLElement>('select, input') ?? [])].at(-1)?.focus(),
    },
  ]);
  return (
    <div ref={place} className="flex flex-wrap items-start gap-3">
      <div className="w-56">
        <Field label={t('import.target')}>
          {(ids) => (
            <Select
              {...ids}
              value={target.collection}
              onChange={({ target: { value } }) => onChange({ ...target, collection: value })}
            >
              <option value="">{t('import.newCollection')}</option>
              {list.data?.collections.map(({ id, label }) => (
                <option key={id} value={id}>
                  {label ?? t('entity.noLabel')}
                </option>
              ))}
            </Select>
          )}
        </Field>
      </div>
      {target.collection === '' && (
        <div className="w-56">
          <Field label={t('import.newCollectionName')}>
            {(ids) => (
              <Input
                {...ids}
                required
                maxLength={200}
                value={target.label}
                onChange={({ target: { value } }) => onChange({ ...target, label: value })}
              />
            )}
          </Field>
        </div>
      )}
    </div>
  );
}
