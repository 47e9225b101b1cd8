import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { CircleAlert, CloudCheck, CloudUpload, GitMerge, RefreshCw, TriangleAlert } from 'lucide-react';
import { useTexts } from '../messages/texts.tsx';
import { syncStateQuery } from '../views/sync/state-query.ts';
import { atLength, standInShort, useOneStand } from '../views/sync/use-one-stand.ts';

const looks = {
  running: { icon: RefreshCw, colour: 'text-accent' },
  failing: { icon: CircleAlert, colour: 'text-danger' },
  conflicts: { icon: GitMerge, colour: 'text-warning' },
  refused: { icon: TriangleAlert, colour: 'text-warning' },
  pending: { icon: CloudUpload, colour: 'text-quiet' },
  level: { icon: CloudCheck, colour: 'text-good' },
};

/** How things stand with all remotes together, in a word; it leads to where one can do something about it. */
export function SyncMark() {
  const { t, number } = useTexts();
  const { data } = useQuery(syncStateQuery);
  useOneStand(data && standInShort(data), atLength);
  if (!data || (data.remotes.length === 0 && data.conflicts === 0)) return null;
  const { remotes, conflicts } = data;
  const sum = (of: (one: (typeof remotes)[number]) => number) => remotes.reduce((all, one) => all + of(one), 0);
  const counts = {
    running: remotes.filter(({ running }) => running).length,
    failing: remotes.filter(({ failing }) => failing).length,
    conflicts,
    refused: sum(({ refused }) => refused),
    pending: sum(({ pending }) => pending),
  };
  const state = (['running', 'failing', 'conflicts', 'refused', 'pending'] as const).find((one) => counts[one] > 0);
  const { icon: Icon, colour } = looks[state ?? 'level'];
  const count = state ? counts[state] : 0;
  return (
    <Link
      to={state === 'conflicts' ? '/sync/conflicts' : '/sync'}
      className="flex h-8 items-center gap-2 rounded-md px-2 text-xs hover:bg-surface"
    >
      <Icon size={15} aria-hidden className={`${colour} ${state === 'running' ? 'animate-spin' : ''}`} />
      <span aria-live="polite">{t(`sync.mark.${state ?? 'level'}`, { count, number: number(count) })}</span>
    </Link>
  );
}
