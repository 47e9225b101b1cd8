import { useQuery } from '@tanstack/react-query';
import { BadgeCheck, BadgeMinus } from 'lucide-react';
import { useState } from 'react';
import { answered, api } from '../../api/client.ts';
import { Failure } from '../../api/failure.ts';
import { Button } from '../../components/button.tsx';
import { saveAs } from '../../components/save-as.ts';
import { useTexts } from '../../messages/texts.tsx';
import type { Version } from './history-queries.ts';

/**
 * Whether the node's signed log has a version, with the proof to keep: `archeion verify --proof` checks it without a node.
 * It is asked for at once where `now` says so, else by hand.
 */
export function Attested({ id, version: { cid, ver }, now }: { id: string; version: Version; now: boolean }) {
  const { t, number } = useTexts();
  const [wanted, setWanted] = useState(now);
  const proof = useQuery({
    queryKey: ['proof', id, cid],
    queryFn: ({ signal }) => answered(api.GET('/node/attestations/proof', { params: { query: { id, ver } }, signal })),
    enabled: wanted,
    retry: false,
    // The log follows the writes after a moment.
    refetchInterval: ({ state }) =>
      state.data?.leaf.cid === cid || state.dataUpdateCount + state.errorUpdateCount > 5 ? false : 2000,
  });
  if (!wanted)
    return (
      <Button small look="quiet" onClick={() => setWanted(true)}>
        {t('proof.ask')}
      </Button>
    );
  if (proof.isPending) return null;
  // Two versions may have one number, where a remote made another one.
  if (proof.data?.leaf.cid !== cid)
    return (
      <span className="flex items-center gap-1 text-xs text-quiet">
        <BadgeMinus size={13} aria-hidden />
        {t(proof.error instanceof Failure && proof.error.status !== 404 ? 'proof.failed' : 'proof.none')}
      </span>
    );
  const save = () => {
    const text = `${JSON.stringify(proof.data, null, 2)}\n`;
    saveAs(new Blob([text], { type: 'application/json' }), `${id}-${ver}.proof.json`);
  };
  return (
    <span className="flex flex-wrap items-center gap-1 text-xs text-good">
      <BadgeCheck size={14} aria-hidden />
      {t('proof.there', { seq: number(proof.data.leaf.seq) })}
      <Button small look="quiet" onClick={save}>
        {t('proof.save')}
      </Button>
    </span>
  );
}
