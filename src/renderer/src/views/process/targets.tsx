import { useMutation } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { ListPlus, X } from 'lucide-react';
import { answered, api } from '../../api/client.ts';
import { Button, IconButton } from '../../components/button.tsx';
import { Problem } from '../../components/problem.tsx';
import { toast } from '../../components/toasts.tsx';
import { useTexts } from '../../messages/texts.tsx';
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
const most = 10_000;

/** The entities to work on: found one by one, or all that fit in the collection. */
export function Targets({ targets, onChange, collection, types }: TargetsProps) {
  const { t, number } = useTexts();
  const all = useMutation({
    mutationFn: async (id: string) => {
      const { entities } = await answered(
        api.GET('/collections/{id}/entities', { params: { path: { id }, query: { limit: most } } }),
      );
      const any = types.length === 0 || types.includes('*');
      return entities.flatMap(({ pi, type }) => (any || types.includes(type) ? [pi] : []));
    },
    onSuccess: (found) => {
      if (found.length === 0) toast(t('process.noneFit'));
      else onChange([...new Set([...targets, ...found])].slice(0, most));
    },
  });
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
          {types.length === 0 || types.includes('*')
            ? t('process.wholeCollection')
            : t('process.allOfTypes', { types: types.join(', ') })}
        </Button>
        {targets.length > 1 && (
          <>
            <span className="text-xs text-quiet">
              {t('table.count', { count: targets.length, number: number(targets.length) })}
            </span>
            <Button small look="quiet" onClick={() => onChange([])}>
              {t('table.selectNone')}
            </Button>
          </>
        )}
      </div>
      {all.error && <Problem error={all.error} />}
    </div>
  );
}
