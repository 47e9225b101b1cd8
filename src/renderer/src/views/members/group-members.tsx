import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Problem } from '../../components/problem.tsx';
import { useTexts } from '../../messages/texts.tsx';
import { entityQuery } from '../entity/entity-queries.ts';
import { contentOf } from '../entity/model/content.ts';
import { MemberName } from './member-name.tsx';

/** So many of a group are named. */
const most = 100;

/** Who is in a group: its `member` relationships. It is changed as any entity is. */
export function GroupMembers({ id }: { id: string }) {
  const { t, number } = useTexts();
  const group = useQuery(entityQuery(id));
  if (group.error) return <Problem error={group.error} retry={() => void group.refetch()} />;
  if (!group.data) return <p className="text-quiet">{t('state.waiting')}</p>;
  const { relationships } = contentOf(group.data);
  const members = relationships.filter(({ predicate, peer }) => predicate === 'member' && peer !== '*');
  return (
    <div className="space-y-2">
      {members.length === 0 && <p className="text-quiet">{t('members.groupEmpty')}</p>}
      <ul className="flex flex-wrap gap-x-5 gap-y-1">
        {members.slice(0, most).map(({ peer, peer_type, peer_label }) => (
          <li key={peer}>
            <MemberName peer={peer} type={peer_type ?? 'user'} label={peer_label} />
          </li>
        ))}
      </ul>
      {members.length > most && <p>{t('members.more', { number: number(members.length - most) })}</p>}
      <Link to="/entities/$id" params={{ id }} className="text-accent underline">
        {t('members.editGroup')}
      </Link>
    </div>
  );
}
