import { Link } from '@tanstack/react-router';
import {
  CircleAlert,
  CircleStop,
  Eye,
  EyeOff,
  GitMerge,
  Handshake,
  KeyRound,
  Link2,
  type LucideIcon,
  OctagonX,
  Pencil,
  Plus,
  RefreshCw,
  Trash2,
  TriangleAlert,
} from 'lucide-react';
import { useTexts } from '../../messages/texts.tsx';
import { didWords, stopWords } from './stand-words.ts';
import { isArchive, type SyncEvent, type SyncEventKind } from './sync-queries.ts';

const looks: Record<SyncEventKind, { icon: LucideIcon; colour: string }> = {
  run: { icon: RefreshCw, colour: 'text-good' },
  failed: { icon: CircleAlert, colour: 'text-danger' },
  stopped: { icon: TriangleAlert, colour: 'text-warning' },
  ended: { icon: CircleStop, colour: 'text-quiet' },
  conflict: { icon: GitMerge, colour: 'text-warning' },
  decided: { icon: Handshake, colour: 'text-good' },
  refused: { icon: OctagonX, colour: 'text-danger' },
  added: { icon: Plus, colour: 'text-quiet' },
  renamed: { icon: Pencil, colour: 'text-quiet' },
  moved: { icon: Link2, colour: 'text-quiet' },
  rekeyed: { icon: KeyRound, colour: 'text-quiet' },
  removed: { icon: Trash2, colour: 'text-quiet' },
  watched: { icon: Eye, colour: 'text-quiet' },
  unwatched: { icon: EyeOff, colour: 'text-quiet' },
};

/** One thing that happened: when, with which remote, and what. */
export function LogLine({ event }: { event: SyncEvent }) {
  const texts = useTexts();
  const { t, time } = texts;
  const { kind, remote, entity, run, words } = event;
  const { icon: Icon, colour } = looks[kind];
  const what = sentence();
  // What the node or the remote said itself, as it said it.
  const said = run?.error ?? run?.report.stopped ?? (kind === 'refused' ? words : null);
  return (
    <li className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-3 px-3 py-2 sm:grid-cols-[5rem_10rem_minmax(0,1fr)]">
      <time dateTime={event.time} title={event.time} className="text-quiet tabular-nums">
        {time(new Date(event.time))}
      </time>
      <span className="truncate font-medium" title={remote}>
        {isArchive(remote) ? t('sync.archive') : remote}
      </span>
      <div className="col-span-2 flex min-w-0 gap-2 sm:col-span-1">
        <Icon size={15} className={`mt-0.5 shrink-0 ${colour}`} aria-hidden />
        <div className="min-w-0 [overflow-wrap:anywhere]">
          {what}
          {entity && (
            <>
              {' '}
              <Link to="/entities/$id" params={{ id: entity.id }} className="font-medium underline">
                <bdi>{entity.label?.slice(0, 200) || entity.id}</bdi>
              </Link>
            </>
          )}
          {said && kind !== 'ended' && (
            <q lang="en" className="block text-xs break-words text-quiet">
              {said.slice(0, 1000)}
            </q>
          )}
        </div>
      </div>
    </li>
  );

  function sentence(): string {
    if (kind === 'run' && run) return t('sync.told.run', { what: didWords(run.report, texts) });
    if (kind === 'ended' && run) return t('sync.told.ended', { what: didWords(run.report, texts) });
    if (kind === 'failed') return t(`sync.told.${run?.fault === 'ended' ? 'other' : (run?.fault ?? 'other')}`);
    if (kind === 'stopped' && run?.report.stop) return stopWords(run.report.stop, texts);
    if (kind === 'rekeyed' && !words) return t('sync.told.unkeyed');
    return t(`sync.told.${kind}`, { words: words ?? '' });
  }
}
