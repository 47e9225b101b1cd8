import { useTexts } from '../messages/texts.tsx';

/** Below a list of the first ones: how many more there are; nothing where all are listed. */
export function AndMore({ total, listed }: { total: number; listed: number }) {
  const { t, number } = useTexts();
  if (total <= listed) return null;
  return <p className="text-xs text-quiet">{t('list.andMore', { number: number(total - listed) })}</p>;
}
