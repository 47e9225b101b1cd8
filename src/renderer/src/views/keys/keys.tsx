import { useQuery } from '@tanstack/react-query';
import { KeyRound, Plus } from 'lucide-react';
import { useState } from 'react';
import { useCommands } from '../../commands/commands.ts';
import { stepCommands } from '../../commands/step-commands.ts';
import { Button } from '../../components/button.tsx';
import { classes } from '../../components/classes.ts';
import { EmptyState } from '../../components/empty-state.tsx';
import { Moment } from '../../components/moment.tsx';
import { Problem } from '../../components/problem.tsx';
import { useActive } from '../../components/use-active.ts';
import { useIntoView } from '../../components/use-into-view.ts';
import { Waiting } from '../../components/waiting.tsx';
import { useTexts } from '../../messages/texts.tsx';
import { SettingsHead } from '../settings/settings-head.tsx';
import { isSpent, type Key, keysQuery } from './keys-query.ts';
import { NewKeyDialog } from './new-key-dialog.tsx';
import { RevokeKeyDialog } from './revoke-key-dialog.tsx';

/** The API keys of the operator and of the service account: which there are, making one, and revoking one. */
export function Keys() {
  const { t } = useTexts();
  const keys = useQuery(keysQuery);
  const [creating, setCreating] = useState(false);
  const [revoking, setRevoking] = useState<Key | null>(null);
  const list = keys.data?.keys ?? [];
  const { at, put } = useActive(list.map(({ key_prefix }) => key_prefix));
  const group = t('group.list');
  useCommands([
    ...stepCommands(t, at, list.length, put),
    { id: 'new-key', label: t('keys.new'), group, keys: ['n'], run: () => setCreating(true) },
    { id: 'revoke', label: t('keys.revoke'), group, keys: ['Delete'], run: () => setRevoking(list[at] ?? null) },
  ]);
  return (
    <>
      <SettingsHead
        actions={
          <Button look="main" onClick={() => setCreating(true)}>
            <Plus size={15} aria-hidden />
            {t('keys.new')}
          </Button>
        }
      />
      <div className="w-full max-w-5xl py-5">
        <div className="mb-3 px-5">
          <h2 className="text-base font-semibold">{t('keys.title')}</h2>
          <p className="text-quiet">{t('keys.about')}</p>
        </div>
        {keys.isPending && <Waiting />}
        {keys.error && (
          <div className="px-5">
            <Problem error={keys.error} retry={() => void keys.refetch()} />
          </div>
        )}
        {keys.data && list.length === 0 && (
          <EmptyState icon={KeyRound} title={t('keys.none')}>
            <p>{t('keys.noneAbout')}</p>
          </EmptyState>
        )}
        {list.length > 0 && <KeyLines keys={list} active={at} onRevoke={setRevoking} />}
      </div>
      {creating && <NewKeyDialog onClose={() => setCreating(false)} />}
      {revoking && <RevokeKeyDialog of={revoking} onClose={() => setRevoking(null)} />}
    </>
  );
}

function KeyLines({ keys, active, onRevoke }: { keys: readonly Key[]; active: number; onRevoke(key: Key): void }) {
  const { t } = useTexts();
  const line = useIntoView<HTMLTableRowElement>(active, keys[active]?.key_prefix);
  return (
    <table className="w-full border-t border-line">
      <thead className="text-left text-xs text-quiet">
        <tr className="border-b border-line">
          <th className="px-5 py-2 font-medium">{t('column.label')}</th>
          <th className="px-3 py-2 font-medium">{t('keys.prefix')}</th>
          <th className="hidden px-3 py-2 font-medium xl:table-cell">{t('column.created_at')}</th>
          <th className="hidden px-3 py-2 font-medium lg:table-cell">{t('keys.used')}</th>
          <th className="px-3 py-2 font-medium">{t('keys.expires')}</th>
          <th className="px-5 py-2">
            <span className="sr-only">{t('entity.more')}</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {keys.map((key, i) => {
          const spent = isSpent(key, Date.now());
          return (
            <tr
              key={key.key_prefix}
              ref={i === active ? line : null}
              className={classes('border-b border-line hover:bg-surface', i === active && 'bg-accent-soft')}
            >
              <td className="w-full max-w-0 truncate px-5 py-1.5 font-medium">
                <bdi title={key.label ?? ''}>{key.label || t('entity.noLabel')}</bdi>
                {key.service && (
                  <span className="block text-xs font-normal whitespace-normal text-quiet">{t('keys.service')}</span>
                )}
              </td>
              <td className="px-3 py-1.5 font-mono text-xs whitespace-nowrap">{key.key_prefix}…</td>
              <td className="hidden px-3 py-1.5 text-quiet xl:table-cell">
                <Moment at={key.created_at} day />
              </td>
              <td className="hidden px-3 py-1.5 text-quiet lg:table-cell">
                {key.last_used_at === null ? t('keys.never') : <Moment at={key.last_used_at} />}
              </td>
              <td className={classes('px-3 py-1.5 whitespace-nowrap', spent ? 'text-danger' : 'text-quiet')}>
                {spent && `${t('keys.spent')} `}
                {key.expires_at === null ? t('keys.neverExpires') : <Moment at={key.expires_at} day />}
              </td>
              <td className="px-5 py-1 text-right">
                <Button
                  small
                  onClick={() => onRevoke(key)}
                  aria-label={t('keys.revokeOf', { name: key.label || key.key_prefix })}
                >
                  {t('keys.revoke')}
                </Button>
              </td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}
