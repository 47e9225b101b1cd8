import { ShieldCheck } from 'lucide-react';
import { Moment } from '../../components/moment.tsx';
import { Permission } from '../../components/permission.tsx';
import { useTexts } from '../../messages/texts.tsx';
import { PeerName } from '../entity/peer-name.tsx';
import type { Preview } from './invoke.ts';

/** Which permissions would be given to whom, until when; and what stands in the way. */
export function PreviewPanel({ preview, collection }: { preview: Preview; collection: string }) {
  const { t, counted } = useTexts();
  const { grants, expires, jobs, allowed, issues } = preview;
  return (
    <section aria-labelledby="preview" className="space-y-3 rounded-md border border-line bg-surface p-4">
      <h2 id="preview" className="flex items-center gap-2 text-base font-semibold">
        <ShieldCheck size={17} aria-hidden className="text-accent" />
        {t('process.preview')}
      </h2>
      <p>
        {t('process.grantsAbout')} <PeerName id={collection} /> · {t('process.until')} <Moment at={expires} />
      </p>
      {jobs > 1 && <p>{counted('process.jobs', jobs)}</p>}
      <ul className="divide-y divide-line border-y border-line">
        {grants.map(({ id, label, actions, role, already }) => (
          <li key={id} className="py-2">
            <p className="flex flex-wrap items-baseline gap-x-2">
              <bdi className="font-medium">{label || id}</bdi>
              <span className="text-xs text-quiet">
                {already ? t('process.already') : t('process.asRole', { role: role.slice(0, 100) })}
              </span>
            </p>
            <p className="mt-1 flex flex-wrap gap-1">
              {actions.map((action) => (
                <span key={action} className="rounded bg-sunken px-1.5 py-0.5">
                  <Permission action={action} />
                </span>
              ))}
            </p>
          </li>
        ))}
      </ul>
      {issues.length > 0 && (
        <ul className="space-y-1 rounded-md bg-warning-soft px-3 py-2">
          {issues.map(({ id, reason }) => (
            <li key={id} className="break-words">
              <PeerName id={id} />: <Reason reason={reason} />
            </li>
          ))}
        </ul>
      )}
      {!allowed && (
        <p role="alert" className="text-danger">
          {t(issues.length > 0 ? 'process.notReady' : 'process.notAllowed')}
        </p>
      )}
    </section>
  );
}

const reasons = ['not_found', 'not_active', 'not_verified', 'disabled', 'no_entry', 'cycle'] as const;

/** Why a processor cannot work: in our words where the node names one of its reasons, else in its own. */
function Reason({ reason }: { reason: string }) {
  const { t } = useTexts();
  const known = reasons.find((one) => reason === one || reason.startsWith(`${one}:`));
  if (!known) return <bdi>{reason.slice(0, 300)}</bdi>;
  return <span title={reason.slice(0, 300)}>{t(`process.reason.${known}`)}</span>;
}
