import { useSearch } from '@tanstack/react-router';
import { FlaskConical } from 'lucide-react';
import { useTexts } from '../messages/texts.tsx';

/** Says that all that is shown is of the test network; the main one is not worth a word. */
export function NetworkMark() {
  const { t } = useTexts();
  const { network } = useSearch({ from: '__root__' });
  if (network !== 'test') return null;
  return (
    <span className="flex items-center gap-1.5 rounded bg-warning-soft px-2 py-0.5 text-xs font-medium text-warning">
      <FlaskConical size={12} aria-hidden />
      {t('network.test')}
    </span>
  );
}
