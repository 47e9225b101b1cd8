import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { answered, api } from '../../api/client.ts';
import type { components } from '../../api/schema.d.ts';
import { Button } from '../../components/button.tsx';
import { QueryState } from '../../components/query-state.tsx';
import { useTexts } from '../../messages/texts.tsx';
import type { Move, Version } from './history-queries.ts';
import { Timeline, type TimelineProps } from './timeline.tsx';

type Moves = components['schemas']['HistoryView'];
type Page = components['schemas']['VersionsView'];

interface ReplacedProps extends Omit<TimelineProps, 'label' | 'about' | 'more' | 'isBeside'> {
  /** How the tip has moved, the newest first. `versions` is all of the history. */
  moves: readonly Move[];
}

/** What was the newest version here, with what it followed, and is in the history no more: a remote has put its own in that place. */
export function Replaced({ moves, ...timeline }: ReplacedProps) {
  const { t } = useTexts();
  const { id, versions } = timeline;
  const [wanted, setWanted] = useState(false);
  const kept = new Set(versions.map(({ cid }) => cid));
  const isOffered = replacedIn(moves, kept).length > 0;
  const query = useQuery({
    queryKey: ['history', id, 'replaced', moves[0]?.to],
    queryFn: ({ signal }) => replacedVersions(id, kept, signal),
    enabled: wanted && isOffered,
  });
  if (!isOffered) return null;
  if (!wanted)
    return (
      <div className="border-t border-line p-4">
        <Button onClick={() => setWanted(true)}>{t('history.showReplaced')}</Button>
      </div>
    );
  return (
    <>
      <QueryState query={query} />
      {query.data && (
        <Timeline
          {...timeline}
          label={t('history.replaced')}
          about={t('history.replacedAbout')}
          versions={query.data}
          isBeside
        />
      )}
    </>
  );
}

function replacedIn(moves: readonly Move[], kept: ReadonlySet<string>): string[] {
  return moves.flatMap(({ from }) => (from === null || kept.has(from) ? [] : [from]));
}

/** All that has been replaced, with the versions below, but for those that are in `kept`; what was replaced last comes first. */
async function replacedVersions(id: string, kept: ReadonlySet<string>, signal: AbortSignal): Promise<Version[]> {
  const params = { path: { id } };
  const found = new Map<string, Version>();
  let before: number | null = null;
  do {
    const query: { limit: number; before?: number } = { limit: 100, ...(before !== null && { before }) };
    const page: Moves = await answered(api.GET('/node/history/{id}', { params: { ...params, query }, signal }));
    for (const tip of replacedIn(page.moves, kept)) await findBelow(tip);
    before = page.next_cursor;
  } while (before !== null);
  return [...found.values()];

  async function findBelow(tip: string): Promise<void> {
    for (let from: string | null = tip; from !== null && !found.has(from); ) {
      const query = { limit: 10, from };
      const page: Page = await answered(api.GET('/versions/{id}', { params: { ...params, query }, signal }));
      const known = page.versions.findIndex(({ cid }) => kept.has(cid) || found.has(cid));
      for (const version of known === -1 ? page.versions : page.versions.slice(0, known))
        found.set(version.cid, version);
      from = known === -1 ? page.next_cursor : null;
    }
  }
}
