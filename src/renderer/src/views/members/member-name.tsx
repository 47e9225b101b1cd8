import { Link } from '@tanstack/react-router';
import { Bot, Globe, UserRound, UsersRound } from 'lucide-react';
import { useTexts } from '../../messages/texts.tsx';

const icons = { group: UsersRound, agent: Bot, klados: Bot, everybody: Globe } as const;

/** Who a member is: a person, a group, a processor or everybody; the way there. */
export function MemberName({ peer, type, label }: { peer: string; type: string; label: string | undefined }) {
  const { t } = useTexts();
  const isAll = peer === '*';
  const Icon = isAll ? Globe : (icons[type as keyof typeof icons] ?? UserRound);
  return (
    <span className="flex min-w-0 items-center gap-2">
      <Icon size={15} className="shrink-0 text-quiet" aria-hidden />
      {/* Where there is little room the type comes below, so that the name has all of it. */}
      <span className="flex min-w-0 flex-wrap items-baseline gap-x-2">
        {isAll ? (
          <span className="font-medium">{t('members.everybody')}</span>
        ) : (
          <Link
            to="/entities/$id"
            params={{ id: peer }}
            className="line-clamp-3 min-w-0 font-medium [overflow-wrap:anywhere] hover:underline"
            dir="auto"
            title={peer}
          >
            {label || peer}
          </Link>
        )}
        {!isAll && type !== 'user' && (
          <span className="shrink-0 text-xs text-quiet">
            {type in icons ? t(`members.type.${type as 'group' | 'agent' | 'klados'}`) : type}
          </span>
        )}
      </span>
    </span>
  );
}
