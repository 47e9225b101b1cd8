import { Link } from '@tanstack/react-router';
import { AndMore } from '../../components/and-more.tsx';
import { useTexts } from '../../messages/texts.tsx';
import { PeerName } from '../entity/peer-name.tsx';
import type { Remote } from './sync-queries.ts';

/** What the remote did not take, in its words, and what of it could not be taken over here. */
export function Troubles({ remote }: { remote: Remote }) {
  const { refused, unreadable, troubles, unlisted, missing_content: files, contents } = remote;
  const refusals = reasonsOf(remote);
  const { t } = useTexts();
  return (
    <>
      <List
        title={t('sync.refusals')}
        about={t('sync.refusalsAbout')}
        total={refused - refusals.reduce((sum, { alike }) => sum + alike - 1, 0)}
        lines={refusals.map(({ ids, words, status, alike }) => ({ ids, alike, said: words, note: String(status) }))}
      />
      <List
        title={t('sync.unreadable')}
        about={t('sync.unreadableAbout')}
        total={sumOf(troubles)}
        lines={unreadable.map(({ id, trouble, evidence }) => ({
          ids: [id],
          note: t(`sync.reason.${trouble as 'missing'}`),
          said: evidence,
        }))}
      />
      <List
        title={t('sync.unlisted')}
        about={t('sync.unlistedAbout')}
        lines={unlisted.map(({ collection: id, words }) => ({ ids: id ? [id] : [], note: '', said: words }))}
      />
      <List
        title={t('sync.missingFiles')}
        about={t('sync.missingFilesAbout')}
        total={sumOf(contents)}
        lines={files.map(({ id, trouble, evidence }) => ({
          ids: [id],
          note: t(`sync.reason.${trouble as 'missing'}`),
          said: evidence,
        }))}
      />
    </>
  );
}

function sumOf(counts: Record<string, number>): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
}

type Refusal = Remote['refusals'][number];

/** What was refused in the same words is one line. */
function reasonsOf({ refusals }: Remote): (Omit<Refusal, 'id'> & { ids: string[] })[] {
  const alike = Map.groupBy(refusals, ({ status, words }) => `${status} ${words}`);
  return [...alike.values()].flatMap((all) =>
    all.slice(0, 1).map((first) => ({ ...first, ids: all.map(({ id }) => id) })),
  );
}

interface Line {
  /** None for what is about no single entity. */
  ids: string[];
  /** Of how many it is so, where that may be more than are named. */
  alike?: number;
  note: string;
  /** What the remote said. */
  said: string | null;
}

interface ListProps {
  title: string;
  about: string;
  /** The first ones. */
  lines: Line[];
  /** How many there are; omitted where that is not known. */
  total?: number;
}

function List({ title, about, lines, total = 0 }: ListProps) {
  if (lines.length === 0) return null;
  return (
    <section aria-label={title} className="space-y-2">
      <h2 className="text-base font-semibold">{title}</h2>
      <p className="text-quiet">{about}</p>
      <ul className="divide-y divide-line rounded-lg border border-line bg-surface">
        {lines.map(({ ids, alike = 0, note, said }, i) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: an entity may be named for several files
          <li key={`${ids[0]} ${i}`} className="px-3 py-1.5">
            {ids.map((id) => (
              <Link key={id} to="/entities/$id" params={{ id }} className="mr-3 font-medium hover:underline">
                <PeerName id={id} />
              </Link>
            ))}
            <AndMore total={alike} listed={ids.length} />
            <span className="text-xs text-quiet">{note}</span>
            {said && (
              <q lang="en" className="block text-quiet break-words">
                {said.slice(0, 1000)}
              </q>
            )}
          </li>
        ))}
      </ul>
      <AndMore total={total} listed={lines.length} />
    </section>
  );
}
