import { useRef } from 'react';
import { Progress } from '../../components/progress.tsx';
import { useTexts } from '../../messages/texts.tsx';
import { didWords, leftWords } from './stand-words.ts';
import type { Remote, Report } from './sync-queries.ts';

interface Sample {
  at: number;
  report: Report;
}

/** A sync under way: what it has done, how fast that goes, and what is left. */
export function RunProgress({ remote }: { remote: Remote }) {
  const texts = useTexts();
  const { t, counted, bytes } = texts;
  const { running, lag } = remote;
  const [rates, left] = [useRates(running), lag.events];
  if (!running) return null;
  const done = running.events;
  return (
    <div className="space-y-1" role="status">
      <Progress label={t('sync.progress')} done={done} total={left === null ? null : done + left} />
      <p>{t('sync.soFar', { what: didWords(running, texts) })}</p>
      <p className="text-quiet tabular-nums">
        {leftWords(remote, texts).join(' ')}{' '}
        {rates && t('sync.rates', { versions: counted('count.versions', rates.entries), bytes: bytes(rates.bytes) })}
      </p>
    </div>
  );
}

/** Versions and bytes a second, both ways, over the last seconds. */
function useRates(report: Report | null): { entries: number; bytes: number } | null {
  const samples = useRef<Sample[]>([]);
  if (!report) {
    samples.current = [];
    return null;
  }
  if (samples.current.at(-1)?.report !== report)
    samples.current = [...samples.current.slice(-5), { at: Date.now(), report }];
  const [first, last] = [samples.current[0], samples.current.at(-1)];
  const seconds = first && last ? (last.at - first.at) / 1000 : 0;
  if (!first || !last || seconds < 0.5) return null;
  const per = (of: (report: Report) => number) => Math.round(Math.max(0, of(last.report) - of(first.report)) / seconds);
  return { entries: per(entriesOf), bytes: per(({ content, sent }) => content.bytes + sent.bytes) };
}

function entriesOf({ versions, created, updated, deleted, restored }: Report): number {
  return versions + created + updated + deleted + restored;
}
