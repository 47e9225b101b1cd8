import { useState } from 'react';
import { sentenceOf } from '../../api/failure.ts';
import { Combobox } from '../../components/combobox.tsx';
import { useFound } from '../../components/use-found.ts';
import { useTexts } from '../../messages/texts.tsx';
import { type ProcessorLine, processorChoice } from '../processors/processor-queries.ts';
import type { Kind, Status } from '../processors/processors-address.ts';

interface ProcessorPickerProps {
  label: string;
  /** Only these kinds, and only of this state. */
  kinds?: readonly Kind[];
  status?: Status;
  onChoose(processor: ProcessorLine): void;
}

/** Finds an agent, klados or rhiza by a part of its label; without one the first are offered. */
export function ProcessorPicker({ label, kinds, status, onChoose }: ProcessorPickerProps) {
  const { t } = useTexts();
  const [text, setText] = useState('');
  const found = useFound(text, (part) => processorChoice({ q: part || undefined, status }, kinds));
  return (
    <Combobox
      label={label}
      placeholder={t('peer.placeholder')}
      text={text}
      onText={setText}
      options={found.data ?? []}
      keyOf={({ id }) => id}
      show={(processor) => (
        <span className="flex items-baseline gap-2">
          <bdi className="min-w-0 flex-1 truncate">{processor.label || processor.id}</bdi>
          <span className="shrink-0 text-xs text-quiet">{t(`processor.${processor.type}`)}</span>
        </span>
      )}
      note={found.waits ? t('state.waiting') : found.error ? t(sentenceOf(found.error)) : t('peer.nothing')}
      onChoose={(processor) => {
        setText('');
        onChoose(processor);
      }}
    />
  );
}
