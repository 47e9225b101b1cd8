import { Button } from '../../components/button.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { useTexts } from '../../messages/texts.tsx';
import { type CollectionNow, type Membership, membershipsOf } from './access.ts';
import { WriteProblem } from './overtaken.tsx';
import { useAccessWrite } from './use-access-write.ts';

interface RemoveMemberProps {
  collection: CollectionNow;
  member: Membership;
  /** What the member is called. */
  name: string;
  onClose(): void;
}

/** Says what it means that somebody loses a role, before it is done. */
export function RemoveMemberDialog({ collection, member: { role, peer, type }, name, onClose }: RemoveMemberProps) {
  const { t } = useTexts();
  const write = useAccessWrite(collection, { said: () => t('members.removed', { name, role }), onClose });
  const update = { relationships_remove: [{ predicate: role, peer }] };
  const others = membershipsOf(collection).filter((one) => one.peer === peer && one.role !== role);
  const kind = peer === '*' ? 'everybody' : type === 'group' ? 'group' : 'one';
  return (
    <Dialog
      open
      onClose={onClose}
      title={t('members.removeTitle', { name })}
      actions={
        <>
          <Button onClick={onClose}>{t('action.cancel')}</Button>
          <Button look="danger" autoFocus disabled={write.isPending} onClick={() => write.save(update)}>
            {t('members.remove')}
          </Button>
        </>
      }
    >
      <div className="space-y-3">
        <p>{t(`members.removeAbout.${kind}`, { name, role })}</p>
        {others.length > 0 && <p>{t('members.removeOthers', { roles: others.map((one) => one.role).join(', ') })}</p>}
        <p className="text-quiet">{t('members.removeKept')}</p>
        <WriteProblem write={write} onAgain={() => write.again(update)} />
      </div>
    </Dialog>
  );
}
