import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { Button } from '../../components/button.tsx';
import { Problem } from '../../components/problem.tsx';
import { useTexts } from '../../messages/texts.tsx';
import type { AccessChange } from './access.ts';
import { memberNamesQuery } from './members-queries.ts';
import type { AccessWrite } from './use-access-write.ts';

/** So many changes of somebody else are named. */
const most = 8;

/** What went wrong with a change of roles or members; where somebody else was quicker, what they did and how to go on. */
export function WriteProblem({ write, onAgain }: { write: AccessWrite; onAgain(): void }) {
  const { t, counted } = useTexts();
  const names = useQuery(memberNamesQuery(write.collection)).data;
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (write.error) void place.current?.scrollIntoView({ block: 'nearest' });
  }, [write.error]);
  if (!write.error) return null;
  if (!write.overtaken)
    return (
      <div ref={place}>
        <Problem error={write.error} />
      </div>
    );
  const { changes } = write.overtaken;
  return (
    <div ref={place}>
      <Problem error={write.error}>
        <div className="w-full space-y-2">
          <p className="text-quiet">{t(changes.length > 0 ? 'members.meanwhile' : 'members.meanwhileOther')}</p>
          {changes.length > 0 && (
            <ul className="list-disc pl-5">
              {changes.slice(0, most).map((change) => (
                <li key={JSON.stringify(change)}>
                  <bdi>{sentence(change)}</bdi>
                </li>
              ))}
              {changes.length > most && <li>{counted('members.meanwhileMore', changes.length - most)}</li>}
            </ul>
          )}
          <Button onClick={onAgain} disabled={write.isPending}>
            {t('members.again')}
          </Button>
        </div>
      </Problem>
    </div>
  );

  function sentence(change: AccessChange): string {
    const { role } = change;
    if (!('peer' in change)) return t(`members.change.${change.kind}`, { role });
    const name =
      change.peer === '*' ? t('members.everybody') : (names?.get(change.peer) ?? change.label ?? change.peer);
    return t(`members.change.${change.kind}`, { role, name });
  }
}
