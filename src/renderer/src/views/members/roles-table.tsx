import { Check, CircleDashed, EllipsisVertical, Minus } from 'lucide-react';
import { useState } from 'react';
import { IconButton } from '../../components/button.tsx';
import { Menu, MenuItem } from '../../components/menu.tsx';
import { ShowMore } from '../../components/show-more.tsx';
import { useTexts } from '../../messages/texts.tsx';
import { member, same } from '../entity/model/json.ts';
import { type CollectionNow, isExpired, membershipsOf, rolesOf } from './access.ts';
import { type Allows, abilities, extent, type Grants, sourceOf } from './grants.ts';

interface RolesTableProps {
  collection: CollectionNow;
  /** The roles that are shown, a column each: the first of them, and more where they are asked for. */
  names: readonly string[];
  grants: Grants;
  allows: Allows;
  mayManage: boolean;
  onEdit(role: string): void;
  onRemove(role: string): void;
}

const step = 50;

const head = 'w-32 min-w-28 px-3 py-1.5 text-center font-medium';

/** What each role allows: a few lines in words, below all of it, permission by permission. */
export function RolesTable({ collection, names: all, grants, allows, mayManage, onEdit, onRemove }: RolesTableProps) {
  const { t, number } = useTexts();
  const [most, setMost] = useState(step);
  const [open, setOpen] = useState(false);
  const roles = rolesOf(collection);
  const [before] = useState(roles);
  // What was made or changed since one looks is in sight, as far behind as it may stand.
  const changed = all.filter((name) => !same(member(before, name), roles[name])).slice(0, most);
  const names = all.filter((name, i) => i < most || changed.includes(name));
  const members = membershipsOf(collection).filter((one) => !isExpired(one, Date.now()));
  const given = (role: string) => roles[role] ?? [];
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what is wider than the page is scrolled by keys, too
    <section className="relative overflow-x-auto" tabIndex={0} aria-label={t('roles.allows')}>
      <table className="w-full border-t border-line">
        <thead>
          <tr className="border-b border-line">
            <th className="min-w-64 px-5 py-2 text-left text-xs font-medium text-quiet">{t('roles.allows')}</th>
            {names.map((role) => (
              <th key={role} scope="col" className={head}>
                <span className="flex items-center justify-center gap-0.5">
                  <bdi className="max-w-40 truncate" title={role}>
                    {role}
                  </bdi>
                  {mayManage && (
                    <Menu
                      trigger={
                        <IconButton small label={t('roles.menu', { role })}>
                          <EllipsisVertical size={14} aria-hidden />
                        </IconButton>
                      }
                    >
                      <MenuItem onSelect={() => onEdit(role)}>{t('roles.edit')}</MenuItem>
                      <MenuItem onSelect={() => onRemove(role)} disabled={role === 'public' || role === 'owner'}>
                        {t('roles.remove')}
                      </MenuItem>
                    </Menu>
                  )}
                </span>
                <span className="block text-xs font-normal text-quiet">{holders(role)}</span>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {abilities.map(({ id, actions }) => (
            <tr key={id} className="border-b border-line hover:bg-surface">
              <th scope="row" className="px-5 py-1.5 text-left font-normal">
                {t(`roles.ability.${id}`)}
              </th>
              {names.map((role) => (
                <td key={role} className="px-3 py-1.5 text-center">
                  <Extent held={extent(actions, given(role), allows)} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      <ShowMore
        total={all.length}
        listed={names.length}
        onMore={() => setMost(most + step)}
        className="sticky left-0 w-fit px-5 py-2"
      />
      <details className="group" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
        <summary className="px-5 py-2 text-accent">{t('roles.everything')}</summary>
        {open && permissions()}
      </details>
    </section>
  );

  function permissions() {
    return (
      <table className="w-full border-t border-line">
        <thead className="text-xs">
          <tr className="border-b border-line">
            <th className="min-w-64 px-5 py-2 text-left font-medium text-quiet">{t('roles.permission')}</th>
            {names.map((role) => (
              <th key={role} scope="col" className={head}>
                <bdi className="block max-w-40 truncate">{role}</bdi>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {grants.actions.map((action) => (
            <tr key={action} className="border-b border-line hover:bg-surface">
              <th scope="row" className="px-5 py-1 text-left font-mono text-xs font-normal">
                {action}
              </th>
              {names.map((role) => (
                <td key={role} className="px-3 py-1 text-center">
                  <Source action={action} source={sourceOf(action, given(role), allows)} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    );
  }

  function holders(role: string): string {
    if (role === 'public') return t('roles.everybody');
    const count = members.filter((one) => one.role === role).length;
    return t('roles.members', { count, number: number(count) });
  }
}

function Extent({ held }: { held: 'all' | 'some' | 'none' }) {
  const { t } = useTexts();
  const { Icon, look } = {
    all: { Icon: Check, look: 'text-good' },
    some: { Icon: CircleDashed, look: 'text-warning' },
    none: { Icon: Minus, look: 'text-edge' },
  }[held];
  return (
    <span title={t(`roles.extent.${held}`)} className={`inline-flex align-middle ${look}`}>
      <Icon size={16} aria-hidden />
      <span className="sr-only">{t(`roles.extent.${held}`)}</span>
    </span>
  );
}

function Source({ action, source }: { action: string; source: string | undefined }) {
  const { t } = useTexts();
  if (source === undefined) return <Extent held="none" />;
  if (source === action) return <Extent held="all" />;
  return (
    <span className="font-mono text-xs whitespace-nowrap text-quiet" title={t('roles.through', { grant: source })}>
      {source}
      <span className="sr-only">{t('roles.through', { grant: source })}</span>
    </span>
  );
}
