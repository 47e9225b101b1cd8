import { type ReactNode, useCallback, useState } from 'react';
import { useTexts } from '../messages/texts.tsx';
import type { Loss } from '../session/unsaved.ts';
import { Button } from './button.tsx';
import { DialogFrame } from './dialog-frame.tsx';

interface LossDialogProps {
  loss: Loss;
  open: boolean;
  onKeep(): void;
  onLose(): void;
}

/** Asks before something goes: what was typed and not saved, or what is under way. */
export function LossDialog({ loss, open, onKeep, onLose }: LossDialogProps) {
  const { t } = useTexts();
  return (
    <DialogFrame
      open={open}
      onClose={onKeep}
      title={t(`loss.${loss}.title`)}
      about={t(`loss.${loss}.about`)}
      actions={
        <>
          <Button onClick={onKeep}>{t(`loss.${loss}.keep`)}</Button>
          <Button look="danger" onClick={onLose}>
            {t(`loss.${loss}.lose`)}
          </Button>
        </>
      }
    />
  );
}

/** Does what takes something away: at once where there is nothing to lose, else when that is wanted. */
export function useInstead(loss: Loss | null): {
  instead(then: () => void): void;
  question: ReactNode;
  /** Asks no longer. */
  forget(): void;
} {
  const [asked, setAsked] = useState<{ loss: Loss; then(): void } | null>(null);
  const instead = useCallback((then: () => void) => (loss ? setAsked({ loss, then }) : then()), [loss]);
  const forget = useCallback(() => setAsked(null), []);
  const lose = () => {
    forget();
    asked?.then();
  };
  const question = asked && <LossDialog open loss={asked.loss} onKeep={forget} onLose={lose} />;
  return { instead, question, forget };
}
