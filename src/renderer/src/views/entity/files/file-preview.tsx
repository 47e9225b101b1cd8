import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { Problem } from '../../../components/problem.tsx';
import { Waiting } from '../../../components/waiting.tsx';
import { useTexts } from '../../../messages/texts.tsx';
import { fetchFile } from './fetch-file.ts';
import type { HeldFile, previewOf } from './held-files.ts';

type Kind = NonNullable<ReturnType<typeof previewOf>>;

/** So much of a text is shown. */
const beginning = 65_536;

/** What a file looks or sounds like. Its bytes are given a type that runs nothing, whatever they are. */
export function FilePreview({ entity, file, kind }: { entity: string; file: HeldFile; kind: Kind }) {
  const { t } = useTexts();
  const type = kind === 'pdf' ? 'application/pdf' : kind === 'text' ? 'text/plain' : file.type;
  const { data, error, refetch } = useQuery({
    queryKey: ['bytes', file.cid, kind],
    queryFn: () => fetchFile(entity, file, type, kind === 'text' ? beginning : undefined),
    // Bytes of a CID are never others: what plays goes on, whatever changes on the node.
    staleTime: 'static',
    gcTime: 30_000,
  });
  const url = useAddress(data);
  if (error)
    return (
      <div className="p-2">
        <Problem error={error} retry={() => void refetch()} />
      </div>
    );
  if (!data || !url) return <Waiting />;
  const box = 'w-full rounded-b-md border-t border-line bg-sunken';
  if (kind === 'image') return <img src={url} alt={file.name} className={`${box} max-h-96 object-contain`} />;
  // biome-ignore lint/a11y/useMediaCaption: an archive's recordings come without
  if (kind === 'audio') return <audio src={url} controls aria-label={file.name} className={box} />;
  // biome-ignore lint/a11y/useMediaCaption: an archive's recordings come without
  if (kind === 'video') return <video src={url} controls aria-label={file.name} className={`${box} max-h-96`} />;
  if (kind === 'pdf') return <iframe src={url} title={file.name} className={`${box} h-[32rem]`} />;
  // Not every entry says how large its file is.
  const isCut = data.size === beginning && file.size !== beginning;
  return <TextPreview blob={data} more={isCut ? t('file.beginning') : null} />;
}

function TextPreview({ blob, more }: { blob: Blob; more: string | null }) {
  const [text, setText] = useState('');
  useEffect(() => {
    void blob.text().then(setText);
  }, [blob]);
  return (
    <div className="border-t border-line">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keys */}
      <pre tabIndex={0} className="max-h-96 overflow-auto p-2 font-mono text-xs break-words whitespace-pre-wrap">
        <bdi>{text}</bdi>
      </pre>
      {more && <p className="px-2 pb-1 text-xs text-quiet">{more}</p>}
    </div>
  );
}

/** An address of bytes in this page, for as long as they are shown. */
function useAddress(blob: Blob | undefined): string | null {
  const [url, setUrl] = useState<string | null>(null);
  useEffect(() => {
    if (!blob) return;
    const made = URL.createObjectURL(blob);
    setUrl(made);
    return () => URL.revokeObjectURL(made);
  }, [blob]);
  return url;
}
