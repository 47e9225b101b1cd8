import { useQuery } from '@tanstack/react-query';
import { Bot, FileUp, UserRound, Wrench } from 'lucide-react';
import { Button } from '../../components/button.tsx';
import { Copied } from '../../components/copied.tsx';
import { Moment } from '../../components/moment.tsx';
import { useIntoView } from '../../components/use-into-view.ts';
import { useTexts } from '../../messages/texts.tsx';
import { showsMore } from '../../shell/focus-kept.ts';
import { PeerName } from '../entity/peer-name.tsx';
import { Attested } from './attested.tsx';
import { type Version, versionQuery } from './history-queries.ts';

const methods = { manual: UserRound, ai_generated: Bot, system: Wrench, import: FileUp };

function isMethod(name: string): name is keyof typeof methods {
  return Object.hasOwn(methods, name);
}

export interface TimelineProps {
  label: string;
  about: string;
  /** The entity. */
  id: string;
  versions: readonly Version[];
  /** Where versions came from, by CID; nothing for those of this node. */
  origins: ReadonlyMap<string, string>;
  /** The CIDs that are compared. */
  from: string;
  to: string;
  onChoose(side: 'from' | 'to', cid: string): void;
  /** Undefined where nothing may be changed. */
  onRestore: ((version: Version) => void) | undefined;
  /** Whether a version is what the entity says now, so that there is nothing to restore. */
  current: string | undefined;
  more?: { has: boolean; busy: boolean; load(): void };
  /** They are in no history: of those the signed log answers by other versions. */
  isBeside?: boolean;
}

/** The chain of versions, the newest on top. Two of them are chosen with the two rows of buttons. */
export function Timeline(props: TimelineProps) {
  const { id, label, about, versions, origins, from, to, onChoose, onRestore, current, more, isBeside } = props;
  const { t } = useTexts();
  const line = useIntoView<HTMLLIElement>(
    versions.findIndex(({ cid }) => cid === to),
    to,
  );
  // Where they stand above what is compared, that is what stays in sight.
  const isWide = window.matchMedia('(min-width: 64rem)').matches;
  return (
    <section aria-label={label} className="min-h-0 overflow-auto">
      <p className="px-4 py-2 text-xs text-quiet">{about}</p>
      <ol>
        {versions.map((version) => {
          const { ver, cid, ts, edited_by, note } = version;
          const { user_id, user_label } = edited_by;
          // Other programs know other methods.
          const method: string = edited_by.method;
          const Icon = isMethod(method) ? methods[method] : UserRound;
          const origin = origins.get(cid);
          return (
            <li
              key={cid}
              ref={cid === to && isWide ? line : null}
              className="flex gap-2 border-t border-line px-4 py-2"
            >
              <span className="flex shrink-0 gap-1 pt-0.5">
                {(['from', 'to'] as const).map((side) => (
                  <input
                    key={side}
                    type="radio"
                    name={side}
                    className="size-4 accent-accent"
                    aria-label={t(side === 'from' ? 'history.compareFrom' : 'history.compareTo', { ver })}
                    checked={(side === 'from' ? from : to) === cid}
                    onChange={() => onChoose(side, cid)}
                  />
                ))}
              </span>
              <div className="min-w-0 flex-1">
                <p className="flex flex-wrap items-baseline gap-x-2">
                  <strong className="font-semibold">{t('entity.version', { ver })}</strong>
                  <span className="text-quiet">
                    <Moment at={ts} />
                  </span>
                </p>
                <p className="flex items-center gap-1.5 text-quiet">
                  <Icon size={13} aria-hidden className="shrink-0" />
                  <span className="truncate">
                    {user_label ?? <PeerName id={user_id} />}
                    {user_id !== '' && <bdi> · {isMethod(method) ? t(`method.${method}`) : method}</bdi>}
                  </span>
                </p>
                {note && (
                  <p className="break-words">
                    <bdi>{note}</bdi>
                  </p>
                )}
                {origin && <p className="text-xs text-quiet">{origin}</p>}
                <div className="flex flex-wrap items-center gap-1">
                  <Copied text={cid} />
                  {!isBeside && <Attested id={id} version={version} now={cid === current} />}
                  <Said cid={cid} {...(onRestore && cid !== current && { onRestore: () => onRestore(version) })} />
                </div>
              </div>
            </li>
          );
        })}
      </ol>
      {more?.has && (
        <div className="border-t border-line p-4">
          <Button {...showsMore} onClick={more.load} disabled={more.busy}>
            {t('history.more')}
          </Button>
        </div>
      )}
    </section>
  );
}

/** That a version is a deletion, which says nothing that could be restored; else the way to say again what it said. */
function Said({ cid, onRestore }: { cid: string; onRestore?: () => void }) {
  const { t } = useTexts();
  const { data, isPending } = useQuery(versionQuery(cid));
  if (data?.deleted) return <span className="px-2 text-xs text-quiet">{t('entity.deleted')}</span>;
  // Not before it is known, so that nothing goes away under somebody's hand.
  if (!onRestore || isPending) return null;
  return (
    <Button small look="quiet" onClick={onRestore}>
      {t('entity.restore')}
    </Button>
  );
}
