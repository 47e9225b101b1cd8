import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { X } from 'lucide-react';
import { useState } from 'react';
import { answered, api } from '../../api/client.ts';
import { Button, IconButton } from '../../components/button.tsx';
import { Combobox } from '../../components/combobox.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { Field } from '../../components/field.tsx';
import { Problem } from '../../components/problem.tsx';
import { toast } from '../../components/toasts.tsx';
import { useFound } from '../../components/use-found.ts';
import { useTexts } from '../../messages/texts.tsx';
import { meQuery } from '../../session/me.ts';
import { type CollectionNow, expiresIn, given, rolesOf } from './access.ts';
import { type Candidate, candidatesQuery, everybody, isEmail } from './candidates.ts';
import { InviteOffer } from './invite-offer.tsx';
import { MemberName } from './member-name.tsx';
import { WriteProblem } from './overtaken.tsx';
import { endOfDay, firstRole, RoleChoice, type Terms } from './role-choice.tsx';
import { useAccessWrite } from './use-access-write.ts';

/** Gives somebody a role: a person by name, address or id, a group, a processor, or everybody who is registered. */
export function AddMemberDialog({ collection, onClose }: { collection: CollectionNow; onClose(): void }) {
  const { t } = useTexts();
  const queries = useQueryClient();
  const me = useQuery(meQuery).data?.id;
  const roles = rolesOf(collection);
  const [terms, setTerms] = useState<Terms>({ role: firstRole(roles), until: '' });
  const [chosen, setChosen] = useState<Candidate | null>(null);
  const said = () => t('members.added', { name: chosen?.label ?? '', role: terms.role });
  const add = useMutation({
    mutationFn: ({ id }: Candidate) =>
      answered(
        api.POST('/collections/{id}/members', {
          params: { path: { id: collection.id } },
          body: { user_id: id, role: terms.role, ...expiresIn(endOfDay(terms.until)) },
        }),
      ),
    onSuccess: () => {
      toast(said());
      void queries.invalidateQueries();
    },
  });
  // The interface takes ids alone there; for everybody it is a change of the collection like any other.
  const toAll = useAccessWrite(collection, { said, onClose });
  const update = {
    relationships_add: [given({ peer: '*', type: '' }, terms.role, endOfDay(terms.until)?.toISOString(), me)],
  };
  return (
    <Dialog
      open
      onClose={onClose}
      unsaved={(chosen !== null || terms.until !== '') && 'typed'}
      title={t('members.add')}
      about={t('members.addAbout')}
    >
      <form
        className="space-y-4"
        onSubmit={(event) => {
          event.preventDefault();
          if (chosen?.id === everybody.id) toAll.save(update);
          else if (chosen) add.mutate(chosen, { onSuccess: onClose });
        }}
      >
        {chosen ? (
          <div className="flex items-center gap-2 rounded-md border border-line bg-sunken py-1 pr-1 pl-3">
            <span className="min-w-0 flex-1">
              <MemberName peer={chosen.id} type={chosen.type} label={chosen.label} />
              {chosen.hint && <bdi className="text-xs text-quiet">{chosen.hint}</bdi>}
            </span>
            <IconButton label={t('members.chooseOther')} onClick={() => setChosen(null)}>
              <X size={15} aria-hidden />
            </IconButton>
          </div>
        ) : (
          <CandidatePicker label={t('members.who')} collection={collection.id} onChoose={setChosen} withAll />
        )}
        <RoleChoice roles={roles} terms={terms} onChange={setTerms} />
        {add.error && <Problem error={add.error} />}
        <WriteProblem write={toAll} onAgain={() => toAll.again(update)} />
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>{t('action.cancel')}</Button>
          <Button look="main" type="submit" disabled={!chosen || add.isPending || toAll.isPending}>
            {t('members.give')}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

interface PickerProps {
  label: string;
  /** In which the role is to be given. */
  collection: string;
  onChoose(candidate: Candidate): void;
  /** Whether everybody who is registered can be chosen, too. */
  withAll?: boolean;
  only?: 'user';
}

/** Finds whom a text means; an address that nobody has can be invited. */
export function CandidatePicker({ label, collection, onChoose, withAll = false, only }: PickerProps) {
  const { t } = useTexts();
  const [text, setText] = useState('');
  const found = useFound(text, (part) => candidatesQuery(part, { only, collection }));
  const all: Candidate = { ...everybody, label: t('members.everybody'), hint: t('members.everybodyAbout') };
  const fits = withAll && all.label.toLocaleLowerCase().includes(text.trim().toLocaleLowerCase());
  // What is found stands before everybody, so that Enter takes no more than is meant.
  const options = [...(found.data ?? []), ...(fits && !found.waits ? [all] : [])];
  const offered = found.data !== undefined && !found.waits && options.length === 0 && isEmail(text);
  // What the offer says, or why nobody knows it, would stand below it.
  const nobody = offered || found.error ? undefined : t('members.nobody');
  return (
    <div className="space-y-2">
      <Field label={label}>
        {({ id }) => (
          <Combobox
            id={id}
            label={label}
            placeholder={t('members.whoPlaceholder')}
            text={text}
            onText={setText}
            options={options}
            keyOf={(one) => one.id}
            show={(one) => (
              <span className="flex items-baseline gap-2">
                <bdi className="min-w-0 flex-1 truncate">{one.label}</bdi>
                <bdi className="max-w-1/2 shrink-0 truncate text-xs text-quiet">
                  {one.away ? awayText(one.away) : (one.hint ?? typeText(one.type))}
                </bdi>
              </span>
            )}
            note={found.waits ? t('state.waiting') : nobody}
            onChoose={(one) => {
              if (one.away) return;
              setText('');
              onChoose(one);
            }}
          />
        )}
      </Field>
      {found.error && <Problem error={found.error} retry={() => void found.refetch()} />}
      {offered && <InviteOffer email={text.trim()} />}
    </div>
  );

  function awayText(away: NonNullable<Candidate['away']>): string {
    return away === 'network' ? t('members.away') : t('members.unknownTo', away);
  }

  function typeText(type: string): string {
    return type === 'group' || type === 'agent' || type === 'klados' ? t(`members.type.${type}`) : '';
  }
}
