import { LoaderCircle } from 'lucide-react';
import { useTexts } from '../messages/texts.tsx';

/** Stands where something is being fetched. It comes after a moment, so that what is quick does not flicker. */
export function Waiting() {
  const { t } = useTexts();
  return (
    <p
      role="status"
      className="flex items-center justify-center gap-2 p-8 text-quiet [animation:appear_1ms_300ms_both]"
    >
      <LoaderCircle size={16} className="animate-spin" aria-hidden />
      {t('state.waiting')}
    </p>
  );
}
