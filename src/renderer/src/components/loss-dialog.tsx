import { type ReactNode, useCallback, useState } from 'react';
import { useTexts } from '../messages/texts.tsx';
import { Button } from './button.tsx';
import { Dialog } from './dialog.tsx';

interface LossDialogProps {
  open: boolean;
  onKeep(): void;
  onLose(): void;
}

/** Asks before something goes that was typed and not saved. */
export function LossDialog({ open, onKeep, onLose }: LossDialogProps) {
  const { t } = useTexts();
  return (
    <Dialog
      open={open}
      onClose={onKeep}
      title={t('loss.title')}
      about={t('loss.about')}
      actions={
        <>
          <Button onClick={onKeep}>{t('loss.keep')}</Button>
          <Button look="danger" onClick={onLose}>
            {t('save.discard')}
          </Button>
        </>
      }
    />
  );
}

/** Does what takes away something that was typed: at once where nothing was, else when that is wanted. */
export function useInstead(typed: boolean): { instead(then: () => void): void; question: ReactNode } {
  const [asked, setAsked] = useState<{ then(): void } | null>(null);
  const instead = useCallback((then: () => void) => (typed ? setAsked({ then }) : then()), [typed]);
  const lose = () => {
    setAsked(null);
    asked?.then();
  };
  return { instead, question: <LossDialog open={asked !== null} onKeep={() => setAsked(null)} onLose={lose} /> };
}
