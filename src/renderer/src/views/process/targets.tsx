import { useMutation } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { ListPlus, X } from 'lucide-react';
import { useEffect, useRef } from 'react';
import { Button, IconButton } from '../../components/button.tsx';
import { Problem } from '../../components/problem.tsx';
import { toast } from '../../components/toasts.tsx';
import { useTexts } from '../../messages/texts.tsx';
import { allRows } from '../collection/all-rows.ts';
import { mostSelected } from '../collection/selection.ts';
import { PeerName } from '../entity/peer-name.tsx';
import { PeerPicker } from '../entity/relationships/peer-picker.tsx';

interface TargetsProps {
  targets: readonly string[];
  onChange(targets: string[]): void;
  collection: string | undefined;
  /** The types that the processor takes; none: any. */
  types: readonly string[];
}

const shown = 30;

/** The entities to work on: found one by one, or all that fit in the collection, as many as can be worked on at once. */
export function Targets({ targets, onChange, collection, types }: TargetsProps) {
  const { t, number, counted } = useTexts();
  const any = types.length === 0 || types.includes('*');
  const running = useRef<AbortController>(undefined);
  useEffect(() => () => running.current?.abort(), []);
  const all = useMutation({
    mutationFn: async (id: string) => {
      running.current = new AbortController();
      const wanted = { collection: id, types: any ? [] : [...types], columns: [] };
      const { rows, total, changed } = await allRows(wanted, running.current.signal);
      const found = new Set(rows.map((row) => row.id));
      // Those that did not come may be among the targets: counted with the collection.
      const beside = found.size < total ? [] : targets.filter((one) => !found.has(one));
      return { found, total: total + beside.length, changed };
    },
    onSuccess: ({ found }) => {
      if (found.size === 0) toast(t('process.noneFit'));
      else onChange([...new Set([...targets, ...found])].slice(0, mostSelected));
    },
  });
  const none = () => {
    all.reset();
    onChange([]);
  };
  return (
    <div className="space-y-2">
      <PeerPicker
        label={t('process.addTarget')}
        collection={collection}
        onChoose={({ id }) => !targets.includes(id) && onChange([...targets, id])}
      />
      {targets.length > 0 && (
        <ul aria-label={t('process.targets')} className="divide-y divide-line rounded-md border border-line bg-surface">
          {targets.slice(0, shown).map((id) => (
            <li key={id} className="flex items-center gap-2 py-0.5 pr-1 pl-3">
              <Link to="/entities/$id" params={{ id }} className="min-w-0 flex-1 truncate hover:underline">
                <PeerName id={id} />
              </Link>
              <IconButton
                small
                label={t('process.removeTarget')}
                onClick={() => onChange(targets.filter((one) => one !== id))}
              >
                <X size={13} aria-hidden />
              </IconButton>
            </li>
          ))}
          {targets.length > shown && (
            <li className="px-3 py-1 text-quiet">{t('job.andMore', { count: targets.length - shown })}</li>
          )}
        </ul>
      )}
      <div className="flex flex-wrap items-center gap-2">
        <Button
          small
          disabled={collection === undefined || all.isPending}
          onClick={() => collection && all.mutate(collection)}
        >
          <ListPlus size={14} aria-hidden />
          {all.isPending
            ? t('state.waiting')
            : any
              ? t('process.wholeCollection')
              : t('process.allOfTypes', { types: types.join(', ') })}
        </Button>
        {targets.length > 1 && (
          <>
            <span className="text-xs text-quiet">
              {t('table.count', { count: targets.length, number: number(targets.length) })}
            </span>
            <Button small look="quiet" onClick={none}>
              {t('table.selectNone')}
            </Button>
          </>
        )}
      </div>
      {targets.length > 0 && all.data && all.data.total > mostSelected && (
        <p role="status" className="rounded-md bg-warning-soft px-3 py-2">
          {t('process.most', { most: mostSelected, total: all.data.total })}
        </p>
      )}
      {all.data && all.data.changed > 0 && <p role="status">{counted('table.changed', all.data.changed)}</p>}
      {all.error && <Problem error={all.error} />}
    </div>
  );
}
