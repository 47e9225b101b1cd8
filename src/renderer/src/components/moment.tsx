import { useTexts } from '../messages/texts.tsx';

/** A time as the language writes it; the exact one when pointed at. */
export function Moment({ at, day = false }: { at: string | number | null; day?: boolean }) {
  const { date, dateTime } = useTexts();
  const time = new Date(at ?? Number.NaN);
  if (Number.isNaN(time.getTime())) return dateTime(at);
  return (
    <time dateTime={time.toISOString()} title={time.toISOString()} className="whitespace-nowrap">
      {day ? date(time) : dateTime(time)}
    </time>
  );
}
