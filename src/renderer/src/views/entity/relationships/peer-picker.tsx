import { useState } from 'react';
import { Combobox } from '../../../components/combobox.tsx';
import { useFound } from '../../../components/use-found.ts';
import { useTexts } from '../../../messages/texts.tsx';
import { type Peer, peersQuery } from './peer-query.ts';

/** Finds an entity by what is typed. */
export function PeerPicker({
  label,
  placeholder,
  collection,
  predicate,
  onChoose,
}: {
  label: string;
  /** What stands in it at first; that a label or an id is wanted if omitted. */
  placeholder?: string;
  collection: string | undefined;
  /** Of the relationship that it is to be at the end of, where that is known. */
  predicate?: string;
  onChoose(peer: Peer): void;
}) {
  const { t } = useTexts();
  const [text, setText] = useState('');
  const found = useFound(text, (part) => peersQuery(part, collection, predicate));
  const nothing = found.error ? t('peer.notFound') : found.waits ? t('state.waiting') : t('peer.nothing');
  const alike = (peer: Peer) =>
    (found.data ?? []).filter(({ label, type }) => label === peer.label && type === peer.type).length > 1;
  return (
    <Combobox
      label={label}
      placeholder={placeholder ?? t('peer.placeholder')}
      text={text}
      onText={setText}
      options={found.data ?? []}
      keyOf={(peer) => peer.id}
      show={(peer) => (
        <>
          <span className="flex items-baseline gap-2">
            <bdi className="line-clamp-3 min-w-0 flex-1 [overflow-wrap:anywhere]">{peer.label || peer.id}</bdi>
            <bdi className="max-w-40 shrink-0 truncate text-xs text-quiet">{peer.type}</bdi>
          </span>
          {peer.label && alike(peer) && <code className="block font-mono text-xs text-quiet">{peer.id}</code>}
        </>
      )}
      note={text.trim() === '' ? undefined : nothing}
      onChoose={(peer) => {
        setText('');
        onChoose(peer);
      }}
    />
  );
}
