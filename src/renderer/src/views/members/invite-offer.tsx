import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { MailPlus } from 'lucide-react';
import { useEffect } from 'react';
import { answered, api } from '../../api/client.ts';
import { Failure } from '../../api/failure.ts';
import { Button } from '../../components/button.tsx';
import { Problem } from '../../components/problem.tsx';
import { useTexts } from '../../messages/texts.tsx';
import { invitesQuery } from './members-queries.ts';

/** Nobody here has the address: who has it can be invited, and be given a role afterwards. */
export function InviteOffer({ email }: { email: string }) {
  const { t } = useTexts();
  const queries = useQueryClient();
  const invites = useQuery(invitesQuery);
  const invite = useMutation({
    mutationFn: () => answered(api.POST('/node/invites', { body: { email } })),
    onSuccess: () => queries.invalidateQueries({ queryKey: invitesQuery.queryKey }),
  });
  const known = invites.data?.invites.find((one) => one.email === email.toLowerCase());
  const isAccepted = known?.status === 'accepted';
  useEffect(() => {
    // Whoever has registered meanwhile is found above.
    if (isAccepted) void queries.invalidateQueries({ queryKey: ['candidates'] });
  }, [isAccepted, queries]);
  return (
    <div className="space-y-2 rounded-md border border-line bg-sunken p-3">
      <p>{known?.status === 'pending' ? t('invites.isPending', { email }) : t('invites.offer', { email })}</p>
      {known?.status !== 'pending' && (
        <Button onClick={() => invite.mutate()} disabled={invite.isPending}>
          <MailPlus size={15} aria-hidden />
          {t('invites.invite')}
        </Button>
      )}
      <InviteProblem error={invite.error} />
    </div>
  );
}

/** What went wrong with an invitation; that there is one already is no fault. */
export function InviteProblem({ error }: { error: Error | null }) {
  const { t } = useTexts();
  if (!error) return null;
  if (error instanceof Failure && error.status === 409)
    return (
      <p role="alert" className="rounded-md bg-warning-soft px-3 py-2">
        {t(error.details.status === 'accepted' ? 'invites.isRegistered' : 'invites.exists')}
      </p>
    );
  return <Problem error={error} />;
}
