import { useQuery } from '@tanstack/react-query';
import { Library, RefreshCw } from 'lucide-react';
import { answered, api } from '../../api/client.ts';
import { PageHead } from '../../components/page-head.tsx';
import { Problem } from '../../components/problem.tsx';
import { Waiting } from '../../components/waiting.tsx';
import { useTexts } from '../../messages/texts.tsx';

/** What the node holds, and what can be done next. */
export function Start() {
  const { t, number } = useTexts();
  const status = useQuery({ queryKey: ['node', 'status'], queryFn: () => answered(api.GET('/node/status')) });
  return (
    <>
      <PageHead title={t('start.title')} />
      <div className="p-5">
        {status.isPending && <Waiting />}
        {status.error && <Problem error={status.error} retry={() => void status.refetch()} />}
        {status.data?.networks.map(({ network, entities }) => (
          <p key={network} className="flex items-center gap-2">
            <Library size={16} aria-hidden />
            {t('start.entities', { count: entities, number: number(entities) })}
          </p>
        ))}
        <RefreshCw size={16} aria-hidden className="hidden" />
      </div>
    </>
  );
}
