import type { components } from '../../api/schema.d.ts';
import { useTexts } from '../../messages/texts.tsx';

const kinds = [
  { id: 'database', member: 'database_bytes', look: 'bg-accent' },
  { id: 'files', member: 'file_bytes', look: 'bg-good' },
  { id: 'index', member: 'index_bytes', look: 'bg-warning' },
] as const;

/** What the data folder consists of, as a bar and in numbers, and what the disk has left. */
export function Sizes({ networks, free }: { networks: components['schemas']['NetworkStatusView'][]; free: number }) {
  const { t, bytes } = useTexts();
  const parts = kinds.map(({ id, member, look }) => ({
    ...{ id, look },
    size: networks.reduce((sum, network) => sum + network[member], 0),
  }));
  const total = parts.reduce((sum, { size }) => sum + size, 0);
  return (
    <div className="space-y-2">
      <div className="flex h-2 gap-px overflow-hidden rounded-full bg-sunken" aria-hidden>
        {parts.map(({ id, look, size }) => (
          <span key={id} className={look} style={{ width: `${total > 0 ? (size / total) * 100 : 0}%` }} />
        ))}
      </div>
      <ul className="flex flex-wrap gap-x-5 gap-y-1">
        {parts.map(({ id, look, size }) => (
          <li key={id} className="flex items-center gap-1.5">
            <span className={`size-2 rounded-full ${look}`} aria-hidden />
            {t(`sizes.${id}`)} <span className="text-quiet tabular-nums">{bytes(size)}</span>
          </li>
        ))}
      </ul>
      <p className="text-quiet">{t('sizes.total', { total: bytes(total), free: bytes(free) })}</p>
    </div>
  );
}
