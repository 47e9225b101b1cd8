import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Trash2 } from 'lucide-react';
import { answered, api } from '../../api/client.ts';
import type { Failure } from '../../api/failure.ts';
import { Button, buttonClasses } from '../../components/button.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { PageHead } from '../../components/page-head.tsx';
import { Problem } from '../../components/problem.tsx';
import { toast } from '../../components/toasts.tsx';
import { useTexts } from '../../messages/texts.tsx';

/** A deleted entity: when that was, its history, and the way back. */
export function Gone({ id, failure }: { id: string; failure: Failure }) {
  const { t, dateTime } = useTexts();
  const queries = useQueryClient();
  const { tip, deleted_at } = failure.details as { tip?: string; deleted_at?: string };
  const restore = useMutation({
    mutationFn: () =>
      answered(api.POST('/entities/{id}/restore', { params: { path: { id } }, body: { expect_tip: tip ?? '' } })),
    onSuccess: async ({ ver }) => {
      toast(t('entity.restored', { ver }));
      await queries.invalidateQueries();
    },
  });
  return (
    <>
      <PageHead title={t('entity.deleted')} above={<code className="font-mono">{id}</code>} />
      <EmptyState
        icon={Trash2}
        title={deleted_at ? t('entity.deletedAt', { time: dateTime(new Date(deleted_at)) }) : t('entity.deleted')}
      >
        <p>{t('entity.deletedAbout')}</p>
        <div className="flex justify-center gap-2">
          <Button look="main" onClick={() => restore.mutate()} disabled={restore.isPending}>
            {t('entity.restore')}
          </Button>
          <Link to="/entities/$id/history" params={{ id }} className={buttonClasses()}>
            {t('history.title')}
          </Link>
        </div>
        {restore.error && <Problem error={restore.error} />}
      </EmptyState>
    </>
  );
}
