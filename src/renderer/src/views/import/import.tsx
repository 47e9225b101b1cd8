import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { useInstead } from '../../components/loss-dialog.tsx';
import { PageHead } from '../../components/page-head.tsx';
import { useTexts } from '../../messages/texts.tsx';
import { putFiles, useChoice } from '../../session/dropped-files.ts';
import { useLoss } from '../../session/unsaved.ts';
import { focusContent, focusContentIfFree } from '../../shell/arrival.ts';
import { ArchiveImport } from './archive-import.tsx';
import { Choose } from './choose.tsx';
import { kindOfFile } from './chosen-files.ts';
import { FileImport } from './file-import.tsx';
import { RecordsImport } from './records/records-import.tsx';
import { Summary } from './summary.tsx';

const route = getRouteApi('/import');

/** Everything that comes in from files: records through a mapping, archives, any other file. The address names an import that was. */
export function Import() {
  const { t } = useTexts();
  const { run, collection } = route.useSearch();
  const go = useNavigate({ from: '/import' });
  const { serial, files } = useChoice();
  const [first] = files;
  const named = first && kindOfFile(first.name);
  // A choice whose first file is named as an archive, and is none.
  const [unpacked, setUnpacked] = useState<number | null>(null);
  const kind = unpacked === serial ? 'other' : named;
  const same = files.filter(({ name }) => kindOfFile(name) === named);
  // An archive is verified and taken in by itself.
  const taken = named === 'archive' ? same.slice(0, 1) : same;

  // Files that come while an import that was is looked at are meant.
  useEffect(() => {
    if (files.length > 0 && run !== undefined) void go({ search: ({ run: _, ...rest }) => rest, replace: true });
  }, [files, run, go]);

  // Each step is a screen of its own to whoever goes through it by keys. The last one comes by itself.
  const place = first ? serial : run;
  const before = useRef(place);
  useEffect(() => {
    const isAsked = typeof place === 'number' || typeof before.current === 'string';
    before.current = place;
    if (isAsked) focusContent();
    else focusContentIfFree();
  }, [place]);

  const begin = (into: { collection?: string }) => {
    putFiles([]);
    void go({ search: ({ run: _, ...rest }) => ({ ...rest, ...into }), ignoreBlocker: true });
  };
  const more = () => begin({});
  const loss = useLoss();
  const { instead, question } = useInstead(loss);
  const finish = (id: string) => {
    putFiles([]);
    // What is imported next may be something else with the same ids: it does not go where this went by itself.
    void go({ search: { run: id }, replace: true, ignoreBlocker: true });
  };
  return (
    <>
      <PageHead
        title={first ? taken.map(({ name }) => name).join(', ') : t(run ? 'import.summary' : 'import.title')}
        above={
          (run || first) && (
            <Link
              to="/import"
              onClick={(event) => {
                if (loss) event.preventDefault();
                instead(more);
              }}
            >
              {t('import.title')}
            </Link>
          )
        }
      />
      {taken.length < files.length && (
        <p role="status" className="border-b border-line bg-warning-soft px-5 py-2">
          {t('import.someLeft', { count: files.length - taken.length })}
        </p>
      )}
      {first ? (
        kind === 'records' ? (
          <RecordsImport key={serial} serial={serial} files={taken} collection={collection} onDone={finish} />
        ) : kind === 'archive' ? (
          <ArchiveImport key={serial} file={first} serial={serial} onMore={more} onKeep={() => setUnpacked(serial)} />
        ) : (
          <FileImport key={serial} files={taken} collection={collection} onMore={more} />
        )
      ) : run ? (
        <Summary id={run} onMore={(into) => begin(into === undefined ? {} : { collection: into })} />
      ) : (
        <Choose onFiles={putFiles} />
      )}
      {question}
    </>
  );
}
