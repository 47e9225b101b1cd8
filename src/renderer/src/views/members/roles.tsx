import { useQuery } from '@tanstack/react-query';
import { Plus } from 'lucide-react';
import { useState } from 'react';
import { useCommands } from '../../commands/commands.ts';
import { Button } from '../../components/button.tsx';
import { Problem } from '../../components/problem.tsx';
import { Waiting } from '../../components/waiting.tsx';
import { useTexts } from '../../messages/texts.tsx';
import { type CollectionNow, isGrantRole, rolesOf } from './access.ts';
import { allowsOf } from './grants.ts';
import { grantsQuery } from './members-queries.ts';
import { RemoveRoleDialog } from './remove-role-dialog.tsx';
import { RoleEditor } from './role-editor.tsx';
import { RolesTable } from './roles-table.tsx';

type Asking = { for: 'new' } | { for: 'edit' | 'remove'; role: string } | null;

/** The roles of a collection and what each allows, in words and in full. */
export function Roles({ collection, mayManage }: { collection: CollectionNow; mayManage: boolean }) {
  const { t, number } = useTexts();
  const grants = useQuery(grantsQuery);
  const [asking, setAsking] = useState<Asking>(null);
  const roles = rolesOf(collection);
  const names = Object.keys(roles).filter((role) => !isGrantRole(role));
  const hidden = Object.keys(roles).length - names.length;
  useCommands(
    mayManage
      ? [
          {
            id: 'new-role',
            label: t('roles.new'),
            group: t('group.list'),
            keys: ['r'],
            run: () => setAsking({ for: 'new' }),
          },
          ...names.map((role) => ({
            id: `edit role ${role}`,
            label: t('roles.editOf', { role }),
            group: t('roles.title'),
            run: () => setAsking({ for: 'edit', role }),
          })),
        ]
      : [],
  );
  const close = () => setAsking(null);
  return (
    <section aria-labelledby="roles">
      <div className="mb-2 flex flex-wrap items-end gap-x-4 gap-y-2 px-5">
        <div className="min-w-56 flex-1">
          <h2 id="roles" className="text-base font-semibold">
            {t('roles.title')}
          </h2>
          <p className="text-quiet">{t('roles.about')}</p>
        </div>
        {mayManage && (
          <Button onClick={() => setAsking({ for: 'new' })}>
            <Plus size={15} aria-hidden />
            {t('roles.new')}
          </Button>
        )}
      </div>
      {grants.isPending && <Waiting />}
      {grants.error && (
        <div className="px-5">
          <Problem error={grants.error} retry={() => void grants.refetch()} />
        </div>
      )}
      {grants.data && (
        <RolesTable
          collection={collection}
          names={names}
          grants={grants.data}
          allows={allowsOf(grants.data)}
          mayManage={mayManage}
          onEdit={(role) => setAsking({ for: 'edit', role })}
          onRemove={(role) => setAsking({ for: 'remove', role })}
        />
      )}
      {hidden > 0 && (
        <p className="px-5 pt-2 text-quiet">{t('roles.ofJobs', { count: hidden, number: number(hidden) })}</p>
      )}
      {grants.data && (asking?.for === 'new' || asking?.for === 'edit') && (
        <RoleEditor
          collection={collection}
          grants={grants.data}
          role={asking.for === 'edit' ? asking.role : null}
          onClose={close}
        />
      )}
      {asking?.for === 'remove' && <RemoveRoleDialog collection={collection} role={asking.role} onClose={close} />}
    </section>
  );
}
