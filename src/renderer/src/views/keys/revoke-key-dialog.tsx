import { useMutation, useQueryClient } from '@tanstack/react-query';
import { answered, api } from '../../api/client.ts';
import { Button } from '../../components/button.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { Problem } from '../../components/problem.tsx';
import { toast } from '../../components/toasts.tsx';
import { useTexts } from '../../messages/texts.tsx';
import { type Key, keysQuery } from './keys-query.ts';

/** Asks before a key is revoked: whatever works with it stops at once. */
export function RevokeKeyDialog({ of: key, onClose }: { of: Key; onClose(): void }) {
  const { t } = useTexts();
  const queries = useQueryClient();
  const name = key.label || key.key_prefix;
  const revoke = useMutation({
    mutationFn: () => answered(api.DELETE('/node/keys/{prefix}', { params: { path: { prefix: key.key_prefix } } })),
    onSuccess: () => toast(t('keys.revoked', { name })),
    // Where it was revoked by somebody else meanwhile, the list says so.
    onSettled: () => void queries.invalidateQueries({ queryKey: keysQuery.queryKey }),
  });
  // Not where the dialog was closed meanwhile: another one may be open by then.
  const submit = () => revoke.mutate(undefined, { onSuccess: onClose });
  return (
    <Dialog
      open
      onClose={onClose}
      title={t('keys.revokeOf', { name })}
      actions={
        <>
          <Button onClick={onClose}>{t('action.cancel')}</Button>
          <Button look="danger" autoFocus disabled={revoke.isPending} onClick={submit}>
            {t('keys.revoke')}
          </Button>
        </>
      }
    >
      <div className="space-y-3">
        <p>{t('keys.revokeAbout')}</p>
        {key.last_used_at !== null && (
          <p className="text-quiet">{t('keys.lastUsed', { time: new Date(key.last_used_at) })}</p>
        )}
        {revoke.error && <Problem error={revoke.error} />}
      </div>
    </Dialog>
  );
}
