import { ChevronDown, ChevronRight, EllipsisVertical } from 'lucide-react';
import { Fragment, useState } from 'react';
import { Button, IconButton } from '../../components/button.tsx';
import { classes } from '../../components/classes.ts';
import { Menu, MenuItem } from '../../components/menu.tsx';
import { Moment } from '../../components/moment.tsx';
import { useIntoView } from '../../components/use-into-view.ts';
import { useTexts } from '../../messages/texts.tsx';
import { isExpired, isGrantRole, type Membership } from './access.ts';
import { GroupMembers } from './group-members.tsx';
import { MemberName } from './member-name.tsx';

/** So many members are in the document at once; the box above finds the others. */
const most = 500;

interface MemberLinesProps {
  members: readonly Membership[];
  nameOf(member: Membership): string;
  /** The one that the keys are at. */
  active: number;
  mayManage: boolean;
  onChange(member: Membership): void;
  onRemove(member: Membership): void;
  /** Takes the filter away. */
  onAll(): void;
}

/** Memberships, a line each; a group opens to show who is in it. */
export function MemberLines({ members, nameOf, active, mayManage, onChange, onRemove, onAll }: MemberLinesProps) {
  const { t, number } = useTexts();
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set());
  const at = members[active];
  const line = useIntoView<HTMLTableRowElement>(active, at && `${at.role} ${at.peer}`);
  if (members.length === 0)
    return (
      <p className="flex flex-wrap items-center gap-3 border-t border-line px-5 py-4 text-quiet">
        {t('members.none')}
        <Button small onClick={onAll}>
          {t('table.showAll')}
        </Button>
      </p>
    );
  const toggle = (peer: string) => {
    const next = new Set(open);
    if (!next.delete(peer)) next.add(peer);
    setOpen(next);
  };
  return (
    <>
      <table className="w-full border-t border-line">
        <thead className="text-left text-xs text-quiet">
          <tr className="border-b border-line">
            <th className="w-1/2 px-5 py-2 font-medium lg:w-2/5">{t('members.member')}</th>
            <th className="px-3 py-2 font-medium">{t('members.role')}</th>
            <th className="hidden px-3 py-2 font-medium sm:table-cell">{t('members.until')}</th>
            <th className="hidden px-3 py-2 font-medium lg:table-cell">{t('members.since')}</th>
            <th className="w-12 px-3 py-2">
              <span className="sr-only">{t('entity.more')}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {members.slice(0, most).map((member, i) => {
            const { peer, role, type, expiresAt, grantedAt } = member;
            const name = nameOf(member);
            const isOpen = open.has(peer);
            const ended = isExpired(member, Date.now());
            return (
              <Fragment key={`${peer} ${role}`}>
                <tr
                  ref={i === active ? line : null}
                  className={classes('border-b border-line hover:bg-surface', i === active && 'bg-accent-soft')}
                >
                  <td className="max-w-0 px-5 py-1.5">
                    <span className="flex items-center gap-1">
                      <MemberName peer={peer} type={type} label={name} />
                      {type === 'group' && (
                        <IconButton
                          small
                          label={t(isOpen ? 'members.closeGroup' : 'members.openGroup', { name })}
                          aria-expanded={isOpen}
                          onClick={() => toggle(peer)}
                        >
                          {isOpen ? <ChevronDown size={14} aria-hidden /> : <ChevronRight size={14} aria-hidden />}
                        </IconButton>
                      )}
                    </span>
                  </td>
                  <td className="max-w-48 px-3 py-1.5 [overflow-wrap:anywhere]">
                    <bdi title={role}>{isGrantRole(role) ? t('members.ofJob') : role}</bdi>
                  </td>
                  <td className="hidden px-3 py-1.5 text-quiet sm:table-cell">
                    {expiresAt === undefined ? (
                      t('members.forGood')
                    ) : (
                      <span className={ended ? 'text-danger' : ''}>
                        {ended && `${t('members.ended')} `}
                        <Moment at={expiresAt} />
                      </span>
                    )}
                  </td>
                  <td className="hidden px-3 py-1.5 text-quiet lg:table-cell">
                    {grantedAt ? <Moment at={grantedAt} day /> : '–'}
                  </td>
                  <td className="px-3 py-0.5">
                    {mayManage && (
                      <Menu
                        trigger={
                          <IconButton label={t('members.menu', { name })}>
                            <EllipsisVertical size={16} aria-hidden />
                          </IconButton>
                        }
                      >
                        <MenuItem onSelect={() => onChange(member)}>{t('members.change')}</MenuItem>
                        <MenuItem onSelect={() => onRemove(member)}>{t('members.remove')}</MenuItem>
                      </Menu>
                    )}
                  </td>
                </tr>
                {isOpen && (
                  <tr className="border-b border-line bg-sunken">
                    <td colSpan={5} className="py-2 pr-5 pl-11">
                      <GroupMembers id={peer} />
                    </td>
                  </tr>
                )}
              </Fragment>
            );
          })}
        </tbody>
      </table>
      {members.length > most && (
        <p className="px-5 py-2 text-quiet">{t('members.more', { number: number(members.length - most) })}</p>
      )}
    </>
  );
}
