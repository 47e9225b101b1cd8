import { useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { CircleCheck, FileIcon, X } from 'lucide-react';
import { useId, useState } from 'react';
import { sentenceOf } from '../../api/failure.ts';
import { Button, IconButton } from '../../components/button.tsx';
import { Problem } from '../../components/problem.tsx';
import { Progress } from '../../components/progress.tsx';
import { useTexts } from '../../messages/texts.tsx';
import { attachFile } from '../entity/files/attach-file.ts';
import { PeerPicker } from '../entity/relationships/peer-picker.tsx';
import type { Peer } from '../entity/relationships/peer-query.ts';
import { type Attached, collectionOf, keepIn } from './attach-files.ts';
import { type Target, TargetChoice, targetText } from './target.tsx';

/** Files of any other kind: each kept as an entity of a collection, or all attached to one entity. */
export function FileImport({
  files,
  collection,
  onMore,
}: {
  files: readonly File[];
  collection: string | undefined;
  onMore(): void;
}) {
  const { t, bytes } = useTexts();
  const queries = useQueryClient();
  const group = useId();
  const [way, setWay] = useState<'collection' | 'entity'>('collection');
  const [target, setTarget] = useState<Target>({ collection: collection ?? '', label: '' });
  const [peer, setPeer] = useState<Peer | null>(null);
  const [attached, setAttached] = useState<Attached[]>([]);
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const ended = !busy && attached.length > 0;
  const ready = way === 'entity' ? peer !== null : targetText(target) !== '';
  const start = async () => {
    setBusy(true);
    setError(null);
    try {
      const place = way === 'entity' ? (peer?.id ?? '') : await collectionOf(target);
      for (const file of files) {
        const one: Attached = { name: file.name, entity: '', error: null };
        try {
          if (way === 'entity') await attachFile(place, file);
          one.entity = way === 'entity' ? place : await keepIn(place, file);
        } catch (failed) {
          one.error = failed;
        }
        setAttached((old) => [...old, one]);
      }
    } catch (failed) {
      setError(failed);
    } finally {
      setBusy(false);
      void queries.invalidateQueries();
    }
  };
  return (
    <form
      className="max-w-2xl space-y-4 p-5"
      onSubmit={(event) => {
        event.preventDefault();
        if (ready && !busy && !ended) void start();
      }}
    >
      <h2 className="text-base font-semibold">{t('import.files', { count: files.length })}</h2>
      <ul className="rounded-md border border-line bg-surface">
        {files.map((file, i) => {
          const done = attached[i];
          return (
            <li
              key={`${file.name} ${file.size}`}
              className="flex items-center gap-2 border-b border-line px-3 py-2 last:border-b-0"
            >
              {done && !done.error ? (
                <CircleCheck size={15} className="shrink-0 text-good" aria-hidden />
              ) : (
                <FileIcon size={15} className="shrink-0 text-quiet" aria-hidden />
              )}
              <bdi className="min-w-0 flex-1 truncate">
                {done && !done.error ? (
                  <Link to="/entities/$id" params={{ id: done.entity }} className="text-accent underline">
                    {file.name}
                  </Link>
                ) : (
                  file.name
                )}
              </bdi>
              <span className="shrink-0 text-xs text-quiet">{bytes(file.size)}</span>
              {done?.error ? <span className="text-danger">{t(sentenceOf(done.error))}</span> : null}
            </li>
          );
        })}
      </ul>
      {error !== null && <Problem error={error} />}
      {busy && <Progress label={t('import.running')} done={attached.length} total={files.length} />}
      {!busy && !ended && (
        <>
          <fieldset className="space-y-1">
            <legend className="mb-1 font-medium">{t('import.fileWay')}</legend>
            {(['collection', 'entity'] as const).map((one) => (
              <label key={one} className="flex items-center gap-2">
                <input type="radio" name={group} checked={way === one} onChange={() => setWay(one)} />
                {t(`import.fileWay.${one}`)}
              </label>
            ))}
          </fieldset>
          {way === 'collection' && <TargetChoice target={target} onChange={setTarget} />}
          {way === 'entity' &&
            (peer ? (
              <p className="flex items-center gap-2">
                <bdi className="font-medium">{peer.label || peer.id}</bdi>
                <IconButton label={t('import.otherEntity')} onClick={() => setPeer(null)}>
                  <X size={15} aria-hidden />
                </IconButton>
              </p>
            ) : (
              <PeerPicker label={t('import.entity')} collection={undefined} onChoose={setPeer} />
            ))}
          <div className="flex gap-2">
            <Button look="main" type="submit" disabled={!ready}>
              {t('import.keepFiles', { count: files.length })}
            </Button>
            <Button onClick={onMore}>{t('action.cancel')}</Button>
          </div>
        </>
      )}
      {ended && (
        <Button look="main" onClick={onMore}>
          {t('import.more')}
        </Button>
      )}
    </form>
  );
}
