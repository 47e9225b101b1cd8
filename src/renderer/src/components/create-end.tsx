import { useState } from 'react';
import { useTexts } from '../messages/texts.tsx';
import { Button } from './button.tsx';
import { Problem } from './problem.tsx';

interface CreateEndProps {
  making: { isPending: boolean; error: unknown };
  /** Whether all is there that is needed. */
  ready?: boolean;
  onCancel(): void;
}

/** The end of a form that makes something: what went wrong, and its two buttons. */
export function CreateEnd({ making, ready = true, onCancel }: CreateEndProps) {
  const { t } = useTexts();
  // A dialog that is opened again is another try.
  const [before] = useState(making.error);
  return (
    <>
      {Boolean(making.error) && making.error !== before && <Problem error={making.error} />}
      <div className="flex justify-end gap-2">
        <Button onClick={onCancel}>{t('action.cancel')}</Button>
        <Button look="main" type="submit" disabled={making.isPending || !ready}>
          {t('action.create')}
        </Button>
      </div>
    </>
  );
}
