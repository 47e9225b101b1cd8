import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { MailPlus } from 'lucide-react';
import { answered, api } from '../../api/client.ts';
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
  return (
    <div className="space-y-2 rounded-md border border-line bg-sunken p-3">
      <p>{known?.status === 'pending' ? t('invites.isPending', { email }) : t('invites.offer', { email })}</p>
      {known?.status !== 'pending' && (
        <Button onClick={() => invite.mutate()} disabled={invite.isPending}>
          <MailPlus size={15} aria-hidden />
          {t('invites.invite')}
        </Button>
      )}
      {invite.error && <Problem error={invite.error} />}
    </div>
  );
}
