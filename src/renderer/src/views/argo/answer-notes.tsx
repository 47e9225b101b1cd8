import { Info, SearchX } from 'lucide-react';
import type { ReactNode } from 'react';
import { EmptyState } from '../../components/empty-state.tsx';
import { useTexts } from '../../messages/texts.tsx';
import type { MessageKey } from '../../messages/translate.ts';
import type { Answer } from './argo-queries.ts';
import { PathLine } from './path-line.tsx';

const stops: Partial<Record<string, MessageKey>> = {
  no_entry_point: 'argo.stop.entry',
  invalid_entry_point: 'argo.stop.typeOnly',
  unsupported_query: 'argo.stop.target',
  no_path_found: 'argo.stop.path',
};

/** What is to be known of an answer beside its results: why there are none, how far it came, what was left out. */
export function AnswerNotes({ answer: { results, metadata } }: { answer: Answer }) {
  const { t } = useTexts();
  const { error, reason, partial_path: partial = [], stopped_at_hop: hop = 1, truncated, k } = metadata;
  const stop = error === undefined ? undefined : stops[error];
  return (
    <>
      {results.length === 0 && (
        <EmptyState icon={SearchX} title={t('table.nothing')}>
          <p>{stop ? t(stop, { number: hop }) : (reason ?? t('search.nothingAbout'))}</p>
        </EmptyState>
      )}
      {partial.length > 0 && (
        <div className="mx-auto mb-8 w-full max-w-4xl space-y-2 px-5">
          <p className="text-quiet">{t('argo.partial')}</p>
          <PathLine steps={partial} />
        </div>
      )}
      {truncated && <Note>{t('argo.truncated')}</Note>}
      {results.length === k && k < 100 && <Note>{t('argo.full', { number: k })}</Note>}
    </>
  );
}

function Note({ children }: { children: ReactNode }) {
  return (
    <p className="mx-5 my-2 flex items-start gap-2 rounded-md bg-warning-soft px-3 py-2">
      <Info size={15} className="mt-0.5 shrink-0" aria-hidden />
      <span>{children}</span>
    </p>
  );
}
