import { X } from 'lucide-react';
import { useId } from 'react';
import { IconButton } from '../../components/button.tsx';
import { nameBeginning } from '../../components/name-end.ts';
import { TextField } from '../../components/text-field.tsx';
import { useTexts } from '../../messages/texts.tsx';
import { PeerName } from '../entity/peer-name.tsx';
import { ProcessorPicker } from '../process/processor-picker.tsx';
import type { SubAgent } from './form-values.ts';

interface SubAgentsFieldProps {
  agents: readonly SubAgent[];
  onChange(agents: SubAgent[]): void;
  fault: string | undefined;
}

/** The agents that an agent calls, which get their permissions with it, and what each is for. */
export function SubAgentsField({ agents, onChange, fault }: SubAgentsFieldProps) {
  const { t } = useTexts();
  const id = useId();
  const describe = (pi: string, description: string) =>
    onChange(
      agents.map((one) => {
        const { description: _, ...rest } = one;
        return one.pi === pi ? { ...rest, ...(description ? { description } : {}) } : one;
      }),
    );
  return (
    <fieldset className="min-w-0 space-y-2 rounded-md border border-line p-3">
      <legend className="px-1 text-xs font-medium text-quiet">{t('processor.usesAgents')}</legend>
      {agents.length > 0 && (
        <ul className="space-y-2" aria-label={t('processor.usesAgents')}>
          {agents.map(({ pi, label, description }) => (
            <li key={pi} className="grid grid-cols-[minmax(0,1fr)_minmax(0,1.5fr)_auto] items-center gap-2">
              <span className="truncate">
                <PeerName id={pi} label={label} />
              </span>
              <TextField
                id={`${id}/${pi}`}
                aria-label={t('processor.usedFor', { name: label ?? pi })}
                placeholder={t('processor.usedForPlaceholder')}
                value={description ?? ''}
                onChange={(text) => describe(pi, text)}
              />
              <IconButton
                label={t('tags.remove', { name: label ?? pi })}
                onClick={() => onChange(agents.filter((one) => one.pi !== pi))}
              >
                <X size={14} aria-hidden />
              </IconButton>
            </li>
          ))}
        </ul>
      )}
      <ProcessorPicker
        label={t('processor.addAgent')}
        kinds={['agent']}
        onChoose={({ id, label }) =>
          agents.every(({ pi }) => pi !== id) &&
          onChange([...agents, { pi: id, ...(label ? { label: nameBeginning(label, 200) } : {}) }])
        }
      />
      <p className={`text-xs ${fault ? 'text-danger' : 'text-quiet'}`}>{fault ?? t('processor.usesAgentsAbout')}</p>
    </fieldset>
  );
}
