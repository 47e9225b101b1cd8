import { useState } from 'react';
import { Button } from '../../components/button.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { Field, Input, Select } from '../../components/field.tsx';
import { useTexts } from '../../messages/texts.tsx';
import { type CollectionNow, rolesOf, sameActions } from './access.ts';
import { GrantBoxes } from './grant-boxes.tsx';
import { abilities, allowsOf, extent, type Grants } from './grants.ts';
import { WriteProblem } from './overtaken.tsx';
import { useAccessWrite } from './use-access-write.ts';

interface RoleEditorProps {
  collection: CollectionNow;
  grants: Grants;
  /** null for a new one. */
  role: string | null;
  onClose(): void;
}

const reading = ['*:view'];
const reserved = ['collection', 'root', 'contains', 'in'];

/** Makes a role, or changes what one allows. It holds from the next request on for everybody who has it. */
export function RoleEditor({ collection, grants, role, onClose }: RoleEditorProps) {
  const { t, both } = useTexts();
  const roles = rolesOf(collection);
  const [before] = useState<readonly string[]>(role === null ? [] : (roles[role] ?? []));
  const [name, setName] = useState(role ?? '');
  const [given, setGiven] = useState<readonly string[]>(role === null ? reading : before);
  // One that is there may have blanks at its ends.
  const wanted = role ?? name.trim();
  const write = useAccessWrite(collection, {
    said: () => t(role === null ? 'roles.made' : 'roles.changed', { role: wanted }),
    onClose,
  });
  const allows = allowsOf(grants);
  const held = abilities.filter(({ actions }) => extent(actions, given, allows) === 'all');
  const taken = role === null && Object.hasOwn(roles, wanted);
  const fault = taken ? 'roles.taken' : reserved.includes(wanted) ? 'roles.reserved' : null;
  const update = { properties: { roles: { [wanted]: [...given] } } };
  const same = sameActions(role === null ? reading : before, given);
  const unchanged = role !== null && same;
  return (
    <Dialog
      open
      wide
      onClose={onClose}
      unsaved={(!same || (role === null && name !== '')) && 'typed'}
      title={role === null ? t('roles.new') : t('roles.editOf', { role })}
      about={t(role === 'public' ? 'roles.publicAbout' : 'roles.editAbout')}
      actions={
        <>
          <Button onClick={onClose}>{t('action.cancel')}</Button>
          <Button
            look="main"
            type="submit"
            form="role"
            disabled={wanted === '' || fault !== null || given.length === 0 || unchanged || write.isPending}
          >
            {t(role === null ? 'action.create' : 'save.save')}
          </Button>
        </>
      }
    >
      <form
        id="role"
        className="space-y-4"
        onSubmit={(event) => {
          event.preventDefault();
          if (fault === null) write.save(update);
        }}
      >
        {role === null && (
          <div className="grid grid-cols-1 gap-3 sm:grid-cols-2">
            <Field label={t('roles.name')} error={fault && t(fault)}>
              {(ids) => (
                <Input {...ids} required maxLength={50} value={name} onChange={({ target }) => setName(target.value)} />
              )}
            </Field>
            <Field label={t('roles.from')}>
              {(ids) => (
                <Select {...ids} defaultValue="" onChange={({ target }) => setGiven(roles[target.value] ?? reading)}>
                  <option value="">{t('roles.fromReading')}</option>
                  {Object.keys(roles).map((one) => (
                    <option key={one} value={one}>
                      {one}
                    </option>
                  ))}
                </Select>
              )}
            </Field>
          </div>
        )}
        <WriteProblem write={write} onAgain={() => write.again(update)} />
        <p role="status">
          {held.length === 0
            ? t('roles.inWordsNone')
            : t('roles.inWords', {
                abilities: both(held.map(({ id }) => t(`roles.ability.${id}`))),
              })}
        </p>
        <GrantBoxes grants={grants} given={given} locked={role === 'public' ? reading : []} onChange={setGiven} />
      </form>
    </Dialog>
  );
}
