import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Download, Paperclip, Replace, X } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { answered, api } from '../../../api/client.ts';
import { Button, IconButton } from '../../../components/button.tsx';
import { Problem } from '../../../components/problem.tsx';
import { saveAs } from '../../../components/save-as.ts';
import { ShowMore } from '../../../components/show-more.tsx';
import { toast } from '../../../components/toasts.tsx';
import { useOnce } from '../../../components/use-once.ts';
import { useTexts } from '../../../messages/texts.tsx';
import { useUnsaved } from '../../../session/unsaved.ts';
import { carryDraft } from '../draft.ts';
import { type Entity, fetchAnew } from '../entity-queries.ts';
import { type Attached, type Attaching, attachFile, lookForSent } from './attach-file.ts';
import { fetchFile } from './fetch-file.ts';
import { FilePreview } from './file-preview.tsx';
import { type HeldFile, heldFiles, isAwaited, previewOf } from './held-files.ts';
import { type Replacing, replaceFile } from './replace-file.ts';

/** So many are shown at first, and so many more each time that more are asked for. */
const first = 100;
const step = 300;

/** A file that is sent, and the version that was there when that began. */
interface Sending {
  file: File;
  over: Entity;
}

interface Stopped extends Sending {
  way: Attaching;
}

/** The files of an entity: looked at, taken away, attached, replaced and removed. Each attached one is a version at once. */
export function FilesPanel({ entity }: { entity: Entity }) {
  const { t } = useTexts();
  const queries = useQueryClient();
  const input = useRef<HTMLInputElement>(null);
  const files = heldFiles(entity);
  const [most, setMost] = useState(first);
  const [attached, setAttached] = useState<readonly string[]>([]);
  // What has just been attached stands wherever its name puts it.
  const shown = files.filter(({ key }, i) => i < most || (key !== null && attached.includes(key)));
  const { id } = entity;
  /** Shows the version that was just made, if any; what is typed over the one before it goes on over that. */
  const follow = async (over: Entity, made: string | null) => {
    // Where that fails it is there all the same: the page fetches it again by itself.
    const now = await fetchAnew(queries, id).catch(() => undefined);
    if (now?.cid === made && now.prev_cid === over.cid) carryDraft(over.cid, now);
  };
  // By their names, what became of files that may not have come: the same one again is attached once.
  const ways = useRef(new Map<string, Attaching>());
  const stop = useRef<AbortController>(undefined);
  useEffect(() => () => stop.current?.abort(), []);
  /** Those whose sending was stopped: the node may have had all of one by then, and write it still. */
  const stopped = useRef(new Map<string, Stopped>());
  /** Shows what was attached, over the version at which it was sent. */
  const show = async ({ key, version }: Attached, { file, over }: Sending) => {
    ways.current.delete(file.name);
    setAttached((before) => [...before, key]);
    await follow(over, version);
    toast(t('file.attached', { name: key }));
  };
  const lookFor = async (sent: Stopped) => {
    const come = await lookForSent(sent.over, sent.file, sent.way, AbortSignal.timeout(5000)).catch(() => null);
    // It may have been found, or sent again, meanwhile.
    if (!come || stopped.current.get(sent.file.name) !== sent) return;
    stopped.current.delete(sent.file.name);
    await show(come, sent);
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: whenever there is another version
  useEffect(() => {
    for (const sent of stopped.current.values()) if (sent.over.cid !== entity.cid) void lookFor(sent);
  }, [entity.cid]);
  const attach = useMutation({
    onMutate: (): void => forgetFaults(remove, replace),
    mutationFn: async (sending: Sending) => {
      const { file, over } = sending;
      stopped.current.delete(file.name);
      const way = ways.current.get(file.name) ?? {};
      ways.current.set(file.name, way);
      stop.current = new AbortController();
      const { signal } = stop.current;
      try {
        await show(await attachFile(id, file, way, signal), sending);
      } catch (error) {
        if (!signal.aborted) throw error;
        const sent = { file, over, way };
        stopped.current.set(file.name, sent);
        await lookFor(sent);
      }
    },
  });
  /** In whose place the file goes that is chosen next. */
  const replaced = useRef<HeldFile>(undefined);
  /** By their keys, what may have taken the place of a file though that was not answered. */
  const replacing = useRef(new Map<string | null, Replacing>());
  const replace = useMutation({
    onMutate: (): void => forgetFaults(remove, attach),
    mutationFn: async ({ held, file }: { held: HeldFile; file: File }) => {
      const name = held.key ?? held.name;
      stop.current = new AbortController();
      const { signal } = stop.current;
      try {
        const way = replacing.current.get(held.key) ?? {};
        replacing.current.set(held.key, way);
        const done = await replaceFile(id, held, file, way, signal);
        replacing.current.delete(held.key);
        if (done) await follow(done.over, done.version);
        toast(t(done ? 'file.replaced' : 'file.same', { name }));
      } catch (error) {
        if (!signal.aborted) throw error;
      }
    },
  });
  const choose = (held?: HeldFile) => {
    replaced.current = held;
    input.current?.click();
  };
  const isBusy = attach.isPending || replace.isPending;
  const remove = useMutation({
    onMutate: (): void => forgetFaults(attach, replace),
    mutationFn: async ({ file: { key }, over }: { file: HeldFile; over: Entity }) => {
      const { cid } = await answered(
        api.DELETE('/entities/{id}/content', {
          params: { path: { id }, query: { expect_tip: over.cid, key: key ?? undefined } },
        }),
      );
      await follow(over, cid);
    },
  });
  const once = useOnce();
  useUnsaved(isBusy, 'files');
  return (
    <section aria-labelledby="files" className="space-y-2">
      <div className="flex items-center gap-3">
        <h2 id="files" className="flex-1 text-base font-semibold">
          {t('file.title')}
        </h2>
        <input
          ref={input}
          type="file"
          hidden
          aria-label={t('file.attach')}
          onChange={({ target }) => {
            const [file] = target.files ?? [];
            const held = replaced.current;
            replaced.current = undefined;
            if (file && held) replace.mutate({ held, file });
            else if (file) attach.mutate({ file, over: entity });
            target.value = '';
          }}
        />
        <span role="status" className="text-xs text-quiet">
          {attach.isPending && t('file.attaching')}
          {replace.isPending && t('file.replacing')}
        </span>
        {/* One button, so that the focus stays. */}
        <Button small onClick={() => (isBusy ? stop.current?.abort() : choose())}>
          {!isBusy && <Paperclip size={13} aria-hidden />}
          {t(isBusy ? 'file.stop' : 'file.attach')}
        </Button>
      </div>
      {attach.error && <Problem error={attach.error} />}
      {replace.error && <Problem error={replace.error} />}
      {remove.error && <Problem error={remove.error} />}
      {isAwaited(entity) ? (
        <p role="note" className="rounded-md bg-warning-soft px-3 py-2">
          {t('file.awaited')}
        </p>
      ) : (
        files.length === 0 && <p className="text-quiet">{t('file.none')}</p>
      )}
      <ul className="space-y-2">
        {shown.map((file) => (
          <FileLine
            // With its keys it stays where it is when it is replaced.
            key={file.key ?? ''}
            entity={id}
            file={file}
            onReplace={isBusy ? undefined : () => choose(file)}
            onRemove={file.key === null ? undefined : () => once(() => remove.mutateAsync({ file, over: entity }))}
          />
        ))}
      </ul>
      <ShowMore total={files.length} listed={shown.length} onMore={() => setMost(most + step)} />
    </section>
  );
}

/** What went wrong with another one is not said any more. */
function forgetFaults(...others: { isError: boolean; reset(): void }[]): void {
  for (const other of others) if (other.isError) other.reset();
}

interface FileLineProps {
  entity: string;
  file: HeldFile;
  /** Undefined while another one is on its way. */
  onReplace: (() => void) | undefined;
  onRemove: (() => void) | undefined;
}

function FileLine({ entity, file, onReplace, onRemove }: FileLineProps) {
  const { t, bytes } = useTexts();
  const [shown, setShown] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const kind = previewOf(file);
  // Several files may have one name; no two have one key.
  const key = file.key ?? file.name;
  const save = async () => {
    setError(null);
    try {
      saveAs(await fetchFile(entity, file, 'application/octet-stream'), file.name);
    } catch (failed) {
      setError(failed);
    }
  };
  return (
    <li className="rounded-md border border-line bg-surface">
      <div className="flex items-center gap-1 pl-2">
        <div className="min-w-0 flex-1 py-1">
          <bdi className="block truncate">{file.name}</bdi>
          <p className="truncate text-xs text-quiet">
            {key !== file.name && <bdi>{key} · </bdi>}
            {file.type}
            {file.size !== undefined && ` · ${bytes(file.size)}`}
          </p>
        </div>
        {kind && (
          <Button small aria-expanded={shown} onClick={() => setShown(!shown)}>
            {t(shown ? 'file.hide' : 'file.show')}
          </Button>
        )}
        <IconButton label={t('file.save', { name: key })} onClick={() => void save()}>
          <Download size={15} aria-hidden />
        </IconButton>
        <IconButton label={t('file.replace', { name: key })} disabled={!onReplace} onClick={onReplace}>
          <Replace size={15} aria-hidden />
        </IconButton>
        {onRemove && (
          <IconButton label={t('file.remove', { name: key })} onClick={onRemove}>
            <X size={15} aria-hidden />
          </IconButton>
        )}
      </div>
      {error !== null && <Problem error={error} />}
      {shown && kind && <FilePreview entity={entity} file={file} kind={kind} />}
    </li>
  );
}
