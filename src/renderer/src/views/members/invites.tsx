import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { answered, api } from '../../api/client.ts';
import { Failure } from '../../api/failure.ts';
import { AndMore } from '../../components/and-more.tsx';
import { Button } from '../../components/button.tsx';
import { classes } from '../../components/classes.ts';
import { Input } from '../../components/field.tsx';
import { Moment } from '../../components/moment.tsx';
import { More } from '../../components/more.tsx';
import { Problem } from '../../components/problem.tsx';
import { Waiting } from '../../components/waiting.tsx';
import { useTexts } from '../../messages/texts.tsx';
import { isEmail } from './candidates.ts';
import { InviteProblem } from './invite-offer.tsx';
import { type Invite, invitePagesQuery, invitesQuery } from './members-queries.ts';

const looks: Record<Invite['status'], string> = {
  pending: 'bg-accent-soft',
  accepted: 'bg-good-soft text-good',
  waitlisted: 'bg-warning-soft text-warning',
  revoked: 'bg-sunken text-quiet',
};

/** Who may register on the node: addresses with their states. Only its operator sees them. */
export function Invites() {
  const { t } = useTexts();
  const queries = useQueryClient();
  const invites = useInfiniteQuery(invitePagesQuery);
  const [email, setEmail] = useState('');
  const anew = () => queries.invalidateQueries({ queryKey: invitesQuery.queryKey });
  // What is typed meanwhile is another address: it stays, and Enter invites it, whatever is still on its way.
  const invite = useMutation({
    mutationFn: (address: string) => answered(api.POST('/node/invites', { body: { email: address } })),
    onSuccess: (_, address) => setEmail((now) => (now.trim() === address ? '' : now)),
    onSettled: () => void anew(),
  });
  const revoke = useMutation({
    mutationFn: (address: string) =>
      answered(api.DELETE('/node/invites/{email}', { params: { path: { email: address } } })),
    // Why an address could not be invited may no longer be so.
    onMutate: () => void (invite.isError && invite.reset()),
    onSettled: () => void anew(),
  });
  const isOnItsWay = (address: string) => invite.isPending && invite.variables === address;
  if (invites.error instanceof Failure && invites.error.kind === 'forbidden') return null;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (isEmail(email) && !isOnItsWay(email.trim())) invite.mutate(email.trim());
  };
  const error = invite.error ?? revoke.error;
  const [first] = invites.data?.pages ?? [];
  // One that comes while pages are read stands on two of them.
  const all = new Map(invites.data?.pages.flatMap((page) => page.invites).map((one) => [one.email, one]));
  return (
    <section aria-labelledby="invites" className="space-y-3">
      <div className="px-5">
        <h2 id="invites" className="text-base font-semibold">
          {t('invites.title')}
        </h2>
        <p className="text-quiet">{t('invites.about')}</p>
        {first && <p className="text-quiet">{t(`invites.registration.${first.registration}`)}</p>}
      </div>
      {invites.isPending && <Waiting />}
      {invites.error && (
        <div className="px-5">
          <Problem error={invites.error} retry={() => void invites.refetch()} />
        </div>
      )}
      <form onSubmit={submit} className="flex flex-wrap gap-2 px-5">
        <Input
          type="email"
          value={email}
          maxLength={254}
          onChange={({ target }) => setEmail(target.value)}
          aria-label={t('invites.email')}
          placeholder={t('invites.email')}
          className="w-72"
        />
        <Button type="submit" disabled={!isEmail(email)}>
          {t('invites.invite')}
        </Button>
      </form>
      {error && (
        <div className="px-5">
          <InviteProblem error={error} />
        </div>
      )}
      {all.size > 0 && (
        <table className="w-full border-t border-line">
          <thead className="text-left text-xs text-quiet">
            <tr className="border-b border-line">
              <th className="px-5 py-2 font-medium">{t('invites.email')}</th>
              <th className="px-3 py-2 font-medium">{t('invites.state')}</th>
              <th className="hidden px-3 py-2 font-medium sm:table-cell">{t('invites.since')}</th>
              <th className="px-5 py-2">
                <span className="sr-only">{t('entity.more')}</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {[...all.values()].map(({ email: address, status, created_at, accepted_at }) => (
              <tr key={address} className="border-b border-line hover:bg-surface">
                <td className="max-w-0 truncate px-5 py-1">
                  <bdi>{address}</bdi>
                </td>
                <td className="px-3 py-1">
                  <span className={classes('rounded-full px-2 py-0.5 text-xs whitespace-nowrap', looks[status])}>
                    {t(`invites.status.${status}`)}
                  </span>
                  {status === 'revoked' && accepted_at !== null && (
                    <span className="ml-2 text-xs text-quiet">{t('invites.stays')}</span>
                  )}
                </td>
                <td className="hidden px-3 py-1 text-quiet sm:table-cell">
                  <Moment at={accepted_at ?? created_at} />
                </td>
                <td className="px-5 py-1 text-right">
                  {(status === 'revoked' || status === 'waitlisted') && (
                    <Button small onClick={() => invite.mutate(address)} disabled={isOnItsWay(address)}>
                      {t('invites.invite')}
                    </Button>
                  )}
                  {status !== 'revoked' && (
                    <Button
                      small
                      look="quiet"
                      className="ml-2"
                      aria-label={t('invites.revokeOf', { email: address })}
                      onClick={() => revoke.mutate(address)}
                      disabled={revoke.isPending && revoke.variables === address}
                    >
                      {t('invites.revoke')}
                    </Button>
                  )}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      <More list={invites}>
        <AndMore total={first?.total ?? 0} listed={all.size} />
      </More>
    </section>
  );
}
