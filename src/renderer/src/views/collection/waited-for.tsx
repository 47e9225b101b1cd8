import { isSignedOut } from '../../api/failure.ts';
import { useTexts } from '../../messages/texts.tsx';

/** Says that the node, or whoever is to sign in, is waited for. */
export function WaitedFor({ error }: { error: unknown }) {
  const { t } = useTexts();
  return (
    <p role="status" className="rounded-md bg-warning-soft p-3">
      {t(isSignedOut(error) ? 'bulk.waitingForYou' : 'bulk.waiting')}
    </p>
  );
}
