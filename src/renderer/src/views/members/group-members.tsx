import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Moment } from '../../components/moment.tsx';
import { Problem } from '../../components/problem.tsx';
import { useTexts } from '../../messages/texts.tsx';
import { entityQuery } from '../entity/entity-queries.ts';
import { groupMembersOf, isExpired } from './access.ts';
import { MemberName } from './member-name.tsx';

/** So many of a group are named. */
const most = 100;

/** Who is in a group, and who was until a time that has passed. It is changed as any entity is. */
export function GroupMembers({ id }: { id: string }) {
  const { t, number } = useTexts();
  const group = useQuery(entityQuery(id));
  if (group.error) return <Problem error={group.error} retry={() => void group.refetch()} />;
  if (!group.data) return <p className="text-quiet">{t('state.waiting')}</p>;
  const members = groupMembersOf(group.data);
  return (
    <div className="space-y-2">
      {members.length === 0 && <p className="text-quiet">{t('members.groupEmpty')}</p>}
      <ul className="flex flex-wrap gap-x-5 gap-y-1">
        {members.slice(0, most).map((member) => {
          const { peer, type, label, expiresAt } = member;
          const ended = isExpired(member, Date.now());
          return (
            <li key={peer} className="flex flex-wrap items-baseline gap-x-2">
              <MemberName peer={peer} type={type} label={label} />
              {expiresAt !== undefined && (
                <span className={ended ? 'text-danger' : 'text-quiet'}>
                  {t(ended ? 'members.ended' : 'members.until')} <Moment at={expiresAt} />
                </span>
              )}
            </li>
          );
        })}
      </ul>
      {members.length > most && <p>{t('members.more', { number: number(members.length - most) })}</p>}
      <Link to="/entities/$id" params={{ id }} className="text-accent underline">
        {t('members.editGroup')}
      </Link>
    </div>
  );
}
