import { Button } from '../../components/button.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { useTexts } from '../../messages/texts.tsx';
import { type CollectionNow, isExpired, membershipsOf } from './access.ts';
import { WriteProblem } from './overtaken.tsx';
import { useAccessWrite } from './use-access-write.ts';

/** A role goes, and with it the memberships that stand on it. */
export function RemoveRoleDialog({
  collection,
  role,
  onClose,
}: {
  collection: CollectionNow;
  role: string;
  onClose(): void;
}) {
  const { t, number } = useTexts();
  const write = useAccessWrite(collection, { said: () => t('roles.removed', { role }), onClose });
  const all = membershipsOf(collection).filter((one) => one.role === role);
  const count = all.filter((one) => !isExpired(one, Date.now())).length;
  const update = {
    properties_remove: { roles: [role] },
    ...(all.length > 0 ? { relationships_remove: [{ predicate: role }] } : {}),
  };
  return (
    <Dialog
      open
      onClose={onClose}
      title={t('roles.removeTitle', { role })}
      actions={
        <>
          <Button onClick={onClose}>{t('action.cancel')}</Button>
          <Button look="danger" autoFocus disabled={write.isPending} onClick={() => write.save(update)}>
            {t('roles.remove')}
          </Button>
        </>
      }
    >
      <div className="space-y-3">
        <p>{count === 0 ? t('roles.removeNobody') : t('roles.removeAbout', { count, number: number(count) })}</p>
        <p className="text-quiet">{t('members.removeKept')}</p>
        <WriteProblem write={write} onAgain={() => write.again(update)} />
      </div>
    </Dialog>
  );
}
