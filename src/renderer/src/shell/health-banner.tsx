import { useQueryClient } from '@tanstack/react-query';
import { Unplug } from 'lucide-react';
import { useEffect, useRef } from 'react';
import { Button } from '../components/button.tsx';
import { toast } from '../components/toasts.tsx';
import { useTexts } from '../messages/texts.tsx';
import { useHealth } from '../session/health.ts';

/** Says that the node does not answer, and that nothing typed is lost; fetches everything anew when it is back. */
export function HealthBanner() {
  const { t } = useTexts();
  const queries = useQueryClient();
  const { isError, refetch } = useHealth();
  const wasDown = useRef(false);
  useEffect(() => {
    if (wasDown.current && !isError) {
      toast(t('health.back'));
      void queries.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'health' });
    }
    wasDown.current = isError;
  }, [isError, queries, t]);
  if (!isError) return null;
  return (
    <div role="alert" className="flex flex-wrap items-center gap-3 border-b border-danger/40 bg-danger-soft px-5 py-2">
      <Unplug size={16} className="text-danger" aria-hidden />
      <p className="min-w-48 flex-1">
        <strong className="font-medium">{t('health.gone')}</strong> {t('health.kept')}
      </p>
      <Button onClick={() => void refetch()}>{t('action.retry')}</Button>
    </div>
  );
}
