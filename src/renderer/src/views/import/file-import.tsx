import { Link } from '@tanstack/react-router';
import { CircleAlert, CircleCheck, FileIcon, X } from 'lucide-react';
import { memo, useEffect, useId, useState } from 'react';
import { Failure } from '../../api/failure.ts';
import { Button, IconButton } from '../../components/button.tsx';
import { Problem } from '../../components/problem.tsx';
import { Progress } from '../../components/progress.tsx';
import { Said } from '../../components/said.tsx';
import { ShowMore } from '../../components/show-more.tsx';
import { useTexts } from '../../messages/texts.tsx';
import { focusContentIfFree } from '../../shell/arrival.ts';
import { PeerPicker } from '../entity/relationships/peer-picker.tsx';
import type { Peer } from '../entity/relationships/peer-query.ts';
import { isWorkbook } from './chosen-files.ts';
import { type Target, TargetChoice, targetText } from './target.tsx';
import { type Outcome, useKeeping } from './use-keeping.ts';

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
  const { t, number } = useTexts();
  const group = useId();
  const [way, setWay] = useState<'collection' | 'entity'>('collection');
  const [target, setTarget] = useState<Target>({ collection: collection ?? '', label: '' });
  const [peer, setPeer] = useState<Peer | null>(null);
  const { outcomes, kept, begun, busy, error, start, stop, elsewhere } = useKeeping(files);
  const left = files.length - kept;
  const chooseOther = async () => {
    const id = await elsewhere();
    // A new one was made: it is no new one any more.
    if (way === 'collection' && id !== undefined) setTarget({ collection: id, label: '' });
  };
  const mayRetry = files.some((file) => mayBeKept(outcomes.get(file)));
  const ready = way === 'entity' ? peer !== null : targetText(target) !== '';
  // What had the focus goes with its step.
  // biome-ignore lint/correctness/useExhaustiveDependencies: when the step has become another one
  useEffect(focusContentIfFree, [busy, begun]);
  const stand = () => {
    if (busy) return t('import.running');
    if (!begun) return null;
    return left > 0
      ? t('import.filesLeft', { count: left, number: number(left) })
      : t('import.filesKept', { count: files.length, number: number(files.length) });
  };
  return (
    <form
      className="max-w-2xl space-y-4 p-5"
      onSubmit={(event) => {
        event.preventDefault();
        if (ready && left > 0) start(way === 'entity' ? { entity: peer?.id ?? '' } : { target });
      }}
    >
      <h2 className="text-base font-semibold">{t('import.files', { count: files.length })}</h2>
      <FileLines files={files} outcomes={outcomes} />
      {!begun && files.some(({ name }) => isWorkbook(name)) && (
        <p className="rounded-md bg-warning-soft p-3">{t('import.workbook')}</p>
      )}
      {error !== null && <Problem error={error} />}
      {/* There before it says something, so that it is read out. */}
      <p role="status" className={busy || begun ? undefined : 'sr-only'}>
        {stand()}
      </p>
      {busy && (
        <>
          <Progress label={t('import.running')} done={kept} total={files.length} />
          <Button onClick={stop}>{t('import.stop')}</Button>
        </>
      )}
      {!busy && !begun && (
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
              {t('import.keepFiles', { count: left })}
            </Button>
            <Button onClick={onMore}>{t('action.cancel')}</Button>
          </div>
        </>
      )}
      {!busy && begun && (
        <div className="flex flex-wrap gap-2">
          {mayRetry && (
            <Button look="main" type="submit">
              {t('action.retry')}
            </Button>
          )}
          {mayRetry && <Button onClick={() => void chooseOther()}>{t('import.elsewhere')}</Button>}
          <Button look={mayRetry ? 'plain' : 'main'} onClick={onMore}>
            {t('import.more')}
          </Button>
        </div>
      )}
    </form>
  );
}

/** So many are shown, and so many more each time that more are asked for. */
const step = 200;

function FileLines({ files, outcomes }: { files: readonly File[]; outcomes: ReadonlyMap<File, Outcome> }) {
  const [most, setMost] = useState(step);
  const failed = files.filter((file) => 'error' in (outcomes.get(file) ?? {}));
  // Whatever is left out for now, what could not be kept is not.
  const inSight = new Set([...files.slice(0, most), ...failed.slice(0, most)]);
  return (
    <>
      <ul className="rounded-md border border-line bg-surface">
        {[...inSight].map((file) => (
          <FileLine key={`${file.name} ${file.size} ${file.lastModified}`} file={file} outcome={outcomes.get(file)} />
        ))}
      </ul>
      <ShowMore total={files.length} listed={inSight.size} onMore={() => setMost(most + step)} />
    </>
  );
}

/** Made anew only where something becomes of its file: there may be hundreds. */
const FileLine = memo(({ file, outcome }: { file: File; outcome: Outcome | undefined }) => {
  const { bytes } = useTexts();
  const entity = outcome && 'entity' in outcome ? outcome.entity : null;
  const error = outcome && 'error' in outcome ? outcome.error : null;
  const Icon = entity !== null ? CircleCheck : error !== null ? CircleAlert : FileIcon;
  const colour = entity !== null ? 'text-good' : error !== null ? 'text-danger' : 'text-quiet';
  return (
    <li className="border-b border-line px-3 py-2 last:border-b-0">
      <div className="flex items-center gap-2">
        <Icon size={15} className={`shrink-0 ${colour}`} aria-hidden />
        <bdi className="min-w-0 flex-1 truncate">
          {entity === null ? (
            file.name
          ) : (
            <Link to="/entities/$id" params={{ id: entity }} className="text-accent underline">
              {file.name}
            </Link>
          )}
        </bdi>
        <span className="shrink-0 text-xs text-quiet">{bytes(file.size)}</span>
      </div>
      {error !== null && (
        <p className="pl-6 break-words text-danger">
          <Said error={error} />
        </p>
      )}
    </li>
  );
});

/** Whether a file that is not kept may be at another attempt. */
function mayBeKept(outcome: Outcome | undefined): boolean {
  if (!outcome) return true;
  return 'error' in outcome && !(outcome.error instanceof Failure && outcome.error.kind === 'too-large');
}
