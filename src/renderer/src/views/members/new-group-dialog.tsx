import { useMutation, useQueryClient } from '@tanstack/react-query';
import { X } from 'lucide-react';
import { useState } from 'react';
import { answered, api } from '../../api/client.ts';
import { IconButton } from '../../components/button.tsx';
import { CreateEnd } from '../../components/create-end.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { Field, Input } from '../../components/field.tsx';
import { toast } from '../../components/toasts.tsx';
import { useMadeOnce } from '../../components/use-made-once.ts';
import { useTexts } from '../../messages/texts.tsx';
import { type CollectionNow, expiresIn, rolesOf } from './access.ts';
import { CandidatePicker } from './add-member-dialog.tsx';
import type { Candidate } from './candidates.ts';
import { MemberName } from './member-name.tsx';
import { endOfDay, firstRole, RoleChoice, type Terms } from './role-choice.tsx';

/** Makes a group in the collection, whose members hold its role together. */
export function NewGroupDialog({ collection, onClose }: { collection: CollectionNow; onClose(): void }) {
  const { t } = useTexts();
  const queries = useQueryClient();
  const roles = rolesOf(collection);
  const [label, setLabel] = useState('');
  const [members, setMembers] = useState<readonly Candidate[]>([]);
  const [terms, setTerms] = useState<Terms>({ role: firstRole(roles), until: '' });
  const { idFor } = useMadeOnce();
  // Made once, also where it could not be given its role at first.
  const [made, setMade] = useState<string | null>(null);
  const create = useMutation({
    mutationFn: async () => {
      const id = made ?? (await makeGroup());
      setMade(id);
      await answered(
        api.POST('/collections/{id}/members', {
          params: { path: { id: collection.id } },
          body: { user_id: id, role: terms.role, ...expiresIn(endOfDay(terms.until)) },
        }),
      );
    },
    onSuccess: () => {
      toast(t('members.added', { name: label, role: terms.role }));
      void queries.invalidateQueries();
    },
  });

  async function makeGroup(): Promise<string> {
    const relationships = members.map((one) => ({
      predicate: 'member',
      peer: one.id,
      peer_type: one.type,
      peer_label: one.label,
    }));
    const body = { type: 'group', collection: collection.id, properties: { label: label.trim() }, relationships };
    return (await answered(api.POST('/entities', { body: { id: await idFor(body), ...body } }))).id;
  }

  const typed = label !== '' || members.length > 0 || terms.until !== '';
  return (
    <Dialog
      open
      onClose={onClose}
      unsaved={typed && 'typed'}
      title={t('members.newGroup')}
      about={t('members.newGroupAbout')}
    >
      <form
        className="space-y-4"
        onSubmit={(event) => {
          event.preventDefault();
          if (label.trim()) create.mutate(undefined, { onSuccess: onClose });
        }}
      >
        <Field label={t('column.label')}>
          {(ids) => (
            <Input
              {...ids}
              required
              disabled={made !== null}
              value={label}
              onChange={({ target }) => setLabel(target.value)}
            />
          )}
        </Field>
        {/* What is changed once it was sent would not be in it. */}
        <fieldset disabled={create.isPending || made !== null} className="min-w-0 space-y-4">
          {members.length > 0 && (
            <ul className="space-y-1">
              {members.map((one) => (
                <li key={one.id} className="flex items-center gap-1">
                  <MemberName peer={one.id} type={one.type} label={one.label} />
                  <IconButton
                    small
                    label={t('relationship.remove', { name: one.label })}
                    onClick={() => setMembers(members.filter(({ id }) => id !== one.id))}
                  >
                    <X size={13} aria-hidden />
                  </IconButton>
                </li>
              ))}
            </ul>
          )}
          <CandidatePicker
            label={t('members.groupAdd')}
            collection={collection.id}
            only="user"
            onChoose={(one) => setMembers([...members.filter(({ id }) => id !== one.id), one])}
          />
        </fieldset>
        {made !== null && <p className="text-quiet">{t('members.groupMade')}</p>}
        <RoleChoice roles={roles} terms={terms} onChange={setTerms} />
        <CreateEnd making={create} ready={label.trim() !== ''} onCancel={onClose} />
      </form>
    </Dialog>
  );
}
