import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { UserPlus } from 'lucide-react';
import { useRef, useState } from 'react';
import { useCommands } from '../../commands/commands.ts';
import { stepCommands } from '../../commands/step-commands.ts';
import { Button } from '../../components/button.tsx';
import { FilterBox } from '../../components/filter-box.tsx';
import { PageHead } from '../../components/page-head.tsx';
import { useActive } from '../../components/use-active.ts';
import { useTypedAddress } from '../../components/use-typed-address.ts';
import { Waiting } from '../../components/waiting.tsx';
import { useTexts } from '../../messages/texts.tsx';
import { CollectionProblem, isGone } from '../collection/collection-problem.tsx';
import { CollectionViews } from '../collection/collection-views.tsx';
import { ReadOnly } from '../entity/read-only.tsx';
import { isExpired, type Membership, membershipsOf } from './access.ts';
import { AddMemberDialog } from './add-member-dialog.tsx';
import { ChangeMemberDialog } from './change-member-dialog.tsx';
import { Invites } from './invites.tsx';
import { MemberLines } from './member-lines.tsx';
import { accessQuery, type MembersAddress, mayManageQuery, memberNamesQuery } from './members-queries.ts';
import { NewGroupDialog } from './new-group-dialog.tsx';
import { RemoveMemberDialog } from './remove-member-dialog.tsx';
import { Roles } from './roles.tsx';

const route = getRouteApi('/collections/$id/members');

type Asking = { for: 'add' | 'group' } | { for: 'change' | 'remove'; member: Membership } | null;

/** Who may do what in a collection: its members, its roles, and who is invited to the node. */
export function Members() {
  const { t, number } = useTexts();
  const { id } = route.useParams();
  const { q = '', ended } = route.useSearch();
  const go = useNavigate({ from: '/collections/$id/members' });
  const access = useQuery(accessQuery(id));
  const names = useQuery(memberNamesQuery(id));
  const mayManage = useQuery(mayManageQuery(id)).data === true;
  const [asking, setAsking] = useState<Asking>(null);
  const box = useRef<HTMLInputElement>(null);

  const change = (next: Partial<MembersAddress>) => {
    reset();
    void go({ search: (old) => ({ ...old, ...next }), replace: true });
  };
  const [typed, setTyped] = useTypedAddress(q, (next) => change({ q: next }));
  const nameOf = ({ peer, label }: Membership) =>
    peer === '*' ? t('members.everybody') : (names.data?.get(peer) ?? label ?? peer);
  const all = access.data ? membershipsOf(access.data) : [];
  const endedCount = all.filter((one) => isExpired(one, Date.now())).length;
  const wanted = typed.trim().toLocaleLowerCase();
  const shown = all
    .filter((one) => ended || !isExpired(one, Date.now()))
    .filter((one) => [nameOf(one), one.role, one.peer].some((text) => text.toLocaleLowerCase().includes(wanted)));
  const { at, put, reset } = useActive(shown.map(({ peer, role }) => `${role} ${peer}`));
  const here = shown[at];
  const ask = (purpose: 'change' | 'remove') => here && mayManage && setAsking({ for: purpose, member: here });

  const group = t('group.list');
  useCommands([
    ...stepCommands(t, at, shown.length, put),
    {
      id: 'open',
      label: t('list.open'),
      group,
      keys: ['Enter'],
      palette: false,
      run: () => here && here.peer !== '*' && void go({ to: '/entities/$id', params: { id: here.peer } }),
    },
    { id: 'find', label: t('members.filter'), group, keys: ['/'], run: () => box.current?.focus() },
    ...(mayManage
      ? [
          { id: 'add-member', label: t('members.add'), group, keys: ['n'], run: () => setAsking({ for: 'add' }) },
          { id: 'new-group', label: t('members.newGroup'), group, run: () => setAsking({ for: 'group' }) },
          { id: 'change', label: t('members.change'), group, keys: ['e'], run: () => ask('change') },
          { id: 'remove', label: t('members.remove'), group, keys: ['Delete'], run: () => ask('remove') },
        ]
      : []),
  ]);

  if (access.error && !access.data)
    return (
      <div className="p-5">
        <CollectionProblem error={access.error} retry={access.refetch} />
      </div>
    );
  const label = access.data?.properties.label;
  const close = () => setAsking(null);
  return (
    <>
      <PageHead
        above={<Link to="/collections">{t('collections.title')}</Link>}
        title={typeof label === 'string' && label ? label : t('entity.noLabel')}
        about={
          access.data && (
            <span role="status">{t('members.count', { count: shown.length, number: number(shown.length) })}</span>
          )
        }
        actions={
          <>
            <CollectionViews id={id} />
            {mayManage && (
              <Button look="main" onClick={() => setAsking({ for: 'add' })}>
                <UserPlus size={15} aria-hidden />
                {t('members.add')}
              </Button>
            )}
          </>
        }
      />
      {access.data && !isGone(access.error) && <ReadOnly id={id} shows="collection" />}
      {access.isPending && <Waiting />}
      {isGone(access.error) && (
        <div className="p-5 pb-0">
          <CollectionProblem error={access.error} retry={access.refetch} />
        </div>
      )}
      {access.data && (
        <div className="w-full max-w-6xl space-y-10 py-5">
          <section aria-labelledby="members">
            <div className="mb-2 flex flex-wrap items-end gap-x-4 gap-y-2 px-5">
              <div className="min-w-56 flex-1">
                <h2 id="members" className="text-base font-semibold">
                  {t('members.title')}
                </h2>
                <p className="text-quiet">{t(mayManage ? 'members.about' : 'members.aboutOthers')}</p>
              </div>
              {endedCount > 0 && (
                <label className="flex h-8 items-center gap-2">
                  <input
                    type="checkbox"
                    className="size-4 accent-accent"
                    checked={ended ?? false}
                    onChange={({ target }) => change({ ended: target.checked || undefined })}
                  />
                  {t('members.showEnded', { number: number(endedCount) })}
                </label>
              )}
              <FilterBox ref={box} value={typed} onType={setTyped} label={t('members.filter')} className="w-48" />
              {mayManage && <Button onClick={() => setAsking({ for: 'group' })}>{t('members.newGroup')}</Button>}
            </div>
            <MemberLines
              members={shown}
              nameOf={nameOf}
              active={at}
              mayManage={mayManage}
              onAll={() => {
                setTyped('');
                change({ q: undefined, ended: endedCount > 0 || undefined });
              }}
              onChange={(member) => setAsking({ for: 'change', member })}
              onRemove={(member) => setAsking({ for: 'remove', member })}
            />
          </section>
          <Roles key={id} collection={access.data} mayManage={mayManage} />
          <Invites />
        </div>
      )}
      {access.data && asking?.for === 'add' && <AddMemberDialog collection={access.data} onClose={close} />}
      {access.data && asking?.for === 'group' && <NewGroupDialog collection={access.data} onClose={close} />}
      {access.data && asking?.for === 'change' && (
        <ChangeMemberDialog
          collection={access.data}
          member={asking.member}
          name={nameOf(asking.member)}
          onClose={close}
        />
      )}
      {access.data && asking?.for === 'remove' && (
        <RemoveMemberDialog
          collection={access.data}
          member={asking.member}
          name={nameOf(asking.member)}
          onClose={close}
        />
      )}
    </>
  );
}
