import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Button } from '../../components/button.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { dayOf } from '../../components/local-day.ts';
import { useTexts } from '../../messages/texts.tsx';
import { meQuery } from '../../session/me.ts';
import { type CollectionNow, given, type Membership, rolesOf } from './access.ts';
import { WriteProblem } from './overtaken.tsx';
import { endOfDay, RoleChoice, type Terms } from './role-choice.tsx';
import { useAccessWrite } from './use-access-write.ts';

interface ChangeMemberProps {
  collection: CollectionNow;
  member: Membership;
  name: string;
  onClose(): void;
}

/** Gives a member another role or another end, in one version: nobody is without either in between. */
export function ChangeMemberDialog({ collection, member, name, onClose }: ChangeMemberProps) {
  const { t } = useTexts();
  const me = useQuery(meQuery).data?.id;
  const [before] = useState<Terms>({ role: member.role, until: dayOfText(member.expiresAt) });
  const [terms, setTerms] = useState(before);
  const write = useAccessWrite(collection, { said: () => t('members.changed', { name, role: terms.role }), onClose });
  // A day says less than the time that was given: that one stays unless another day is chosen.
  const end = terms.until === before.until ? member.expiresAt : endOfDay(terms.until)?.toISOString();
  const update = {
    relationships_remove: [{ predicate: member.role, peer: member.peer }],
    relationships_add: [given(member, terms.role, end, me)],
  };
  return (
    <Dialog
      open
      onClose={onClose}
      unsaved={(terms.role !== before.role || terms.until !== before.until) && 'typed'}
      title={t('members.changeTitle', { name })}
      about={t('members.changeAbout')}
    >
      <form
        className="space-y-3"
        onSubmit={(event) => {
          event.preventDefault();
          write.save(update);
        }}
      >
        <RoleChoice roles={rolesOf(collection)} terms={terms} onChange={setTerms} />
        <WriteProblem write={write} onAgain={() => write.again(update)} />
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>{t('action.cancel')}</Button>
          <Button look="main" type="submit" disabled={write.isPending}>
            {t('save.save')}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

function dayOfText(time: string | undefined): string {
  const at = new Date(time ?? '');
  return Number.isNaN(at.getTime()) ? '' : dayOf(at);
}
