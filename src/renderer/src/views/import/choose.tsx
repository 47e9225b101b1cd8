import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { FileUp } from 'lucide-react';
import { useRef } from 'react';
import { useCommands } from '../../commands/commands.ts';
import { Button } from '../../components/button.tsx';
import { KeyCaps } from '../../components/key-caps.tsx';
import { Moment } from '../../components/moment.tsx';
import { Problem } from '../../components/problem.tsx';
import { useTexts } from '../../messages/texts.tsx';
import type { MessageKey } from '../../messages/translate.ts';
import { importsQuery, isUndone, madeQuery } from './undo/undo-import.ts';

const kinds: { title: MessageKey; about: MessageKey }[] = [
  { title: 'import.kind.records', about: 'import.kind.recordsAbout' },
  { title: 'import.kind.archive', about: 'import.kind.archiveAbout' },
  { title: 'import.kind.other', about: 'import.kind.otherAbout' },
];

/** Where an import begins: files are dropped or chosen. Below it the imports that there were. */
export function Choose({ onFiles }: { onFiles(files: File[]): void }) {
  const { t } = useTexts();
  const chooser = useRef<HTMLInputElement>(null);
  const choose = () => chooser.current?.click();
  useCommands([{ id: 'choose-files', label: t('import.choose'), group: t('group.import'), keys: ['o'], run: choose }]);
  return (
    <div className="max-w-5xl space-y-8 p-5">
      <div className="flex flex-col items-center gap-3 rounded-lg border-2 border-dashed border-edge bg-surface px-6 py-10 text-center">
        <FileUp size={28} strokeWidth={1.5} className="text-accent" aria-hidden />
        <p className="text-base font-semibold">{t('import.drop')}</p>
        <input
          ref={chooser}
          type="file"
          multiple
          hidden
          aria-label={t('import.choose')}
          onChange={({ target }) => {
            const files = [...(target.files ?? [])];
            target.value = '';
            if (files.length > 0) onFiles(files);
          }}
        />
        <Button look="main" onClick={choose}>
          {t('import.choose')}
          <KeyCaps keys="o" />
        </Button>
      </div>
      <ul className="grid grid-cols-1 gap-4 sm:grid-cols-3">
        {kinds.map(({ title, about }) => (
          <li key={title}>
            <h2 className="font-semibold">{t(title)}</h2>
            <p className="mt-0.5 text-quiet">{t(about)}</p>
          </li>
        ))}
      </ul>
      <Earlier />
    </div>
  );
}

function Earlier() {
  const { t, number } = useTexts();
  const list = useQuery(importsQuery);
  if (list.error) return <Problem error={list.error} retry={() => void list.refetch()} />;
  if (!list.data || list.data.imports.length === 0) return null;
  return (
    <section aria-labelledby="earlier-imports">
      <h2 id="earlier-imports" className="mb-1 text-base font-semibold">
        {t('import.earlier')}
      </h2>
      <p className="mb-2 text-quiet">{t('import.earlierAbout')}</p>
      <table className="w-full">
        <thead className="text-left text-xs text-quiet">
          <tr className="border-b border-line">
            <th className="py-2 pr-3 font-medium">{t('import.column.files')}</th>
            <th className="px-3 py-2 font-medium">{t('import.target')}</th>
            <th className="px-3 py-2 text-right font-medium">{t('import.count.created')}</th>
            <th className="hidden px-3 py-2 font-medium sm:table-cell">{t('import.column.time')}</th>
          </tr>
        </thead>
        <tbody>
          {list.data.imports.map(({ id, files, collection, counts, started_at, state }) => (
            <tr key={id} className="border-b border-line">
              <td className="w-full max-w-0 truncate py-2 pr-3">
                <Link to="/import" search={{ run: id }} className="font-medium hover:underline">
                  <bdi>{files.join(', ') || id}</bdi>
                </Link>
                {state === 'open' && <span className="text-quiet"> · {t('import.state.open')}</span>}
                {state === 'broken_off' && <BrokenOff id={id} />}
              </td>
              <td className="max-w-40 truncate px-3 py-2">
                {collection ? (
                  <bdi className={collection.deleted ? 'text-quiet line-through' : ''}>
                    {collection.label ?? t('entity.noLabel')}
                  </bdi>
                ) : (
                  <span className="text-quiet">{t('import.ownCollections')}</span>
                )}
              </td>
              <td className="px-3 py-2 text-right tabular-nums">{number(counts.created)}</td>
              <td className="hidden px-3 py-2 text-quiet sm:table-cell">
                <Moment at={started_at} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

/** Said of an import that was broken off, unless it has been undone whole: there is nothing to go on with. */
function BrokenOff({ id }: { id: string }) {
  const { t } = useTexts();
  const made = useQuery(madeQuery(id));
  if (made.isPending || (made.data && isUndone(made.data))) return null;
  return <span className="text-warning"> · {t('import.state.broken_off')}</span>;
}
