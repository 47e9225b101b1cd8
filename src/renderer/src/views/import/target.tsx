import { useQuery } from '@tanstack/react-query';
import { useRef } from 'react';
import { useCommands } from '../../commands/commands.ts';
import { Button } from '../../components/button.tsx';
import { Field, Input } from '../../components/field.tsx';
import { useFound } from '../../components/use-found.ts';
import { useTexts } from '../../messages/texts.tsx';
import { CollectionChoice } from '../collections/collection-choice.tsx';
import { collectionsFound, namesakesQuery } from '../collections/collections-query.ts';
import { ReadOnly } from '../entity/read-only.tsx';

/** Where something goes: a collection that is there, or a new one of a name. */
export interface Target {
  /** An id; empty for a new one. */
  collection: string;
  label: string;
}

/** What the node takes as a target: an id, or a name, which is that of a collection that is there or makes one. */
export function targetText({ collection, label }: Target): string {
  return collection || label.trim();
}

/** The ids of the collections that are called as the new one is to be; none for one that is there. `waits`: not known yet. */
export function useNamesakes(target: Target): { ids: string[]; waits: boolean } {
  const isNew = target.collection === '';
  const { data, waits } = useFound(isNew ? targetText(target) : '', namesakesQuery);
  return { ids: (isNew && data) || [], waits: isNew && waits };
}

interface TargetChoiceProps {
  target: Target;
  onChange(target: Target): void;
  /** Those that a new one cannot be told apart from, as by what takes its name for its id. */
  namesakes?: readonly string[];
}

export function TargetChoice({ target, onChange, namesakes = [] }: TargetChoiceProps) {
  const { t } = useTexts();
  const list = useQuery(collectionsFound(''));
  // None that are there can be chosen as long as nobody knows them.
  const isUnknown = list.isError && !list.data;
  const [only, ...others] = namesakes;
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
        <Field label={t('import.target')} error={isUnknown && t('import.targetsUnknown')}>
          {(ids) => (
            <CollectionChoice
              ids={ids}
              label={t('import.target')}
              value={target.collection}
              none={t('import.newCollection')}
              onChange={(id) => onChange({ ...target, collection: id })}
            />
          )}
        </Field>
        {isUnknown && (
          <Button small className="mt-1" onClick={() => void list.refetch()}>
            {t('action.retry')}
          </Button>
        )}
      </div>
      {target.collection === '' && (
        <div className="w-56">
          <Field label={t('import.newCollectionName')} error={only !== undefined && t('failure.name-taken')}>
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
          {only !== undefined && others.length === 0 && (
            <Button
              small
              className="mt-1"
              onClick={() => {
                onChange({ ...target, collection: only });
                // The button that had the focus goes.
                place.current?.querySelector<HTMLElement>('select, input')?.focus();
              }}
            >
              {t('import.intoNamesake')}
            </Button>
          )}
        </div>
      )}
      {target.collection !== '' && (
        <div className="w-full">
          <ReadOnly id={target.collection} shows="entities" />
        </div>
      )}
    </div>
  );
}
