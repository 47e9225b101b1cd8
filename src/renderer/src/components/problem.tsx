import { CircleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import { Failure, type Issue, saidOf, sentenceOf } from '../api/failure.ts';
import { useTexts } from '../messages/texts.tsx';
import { Button } from './button.tsx';
import { ownWords } from './node-words.ts';

interface ProblemProps {
  error: unknown;
  /** Tries again what failed. */
  retry?: (() => void) | undefined;
  /** How something that is wrong with the request is said; else as `ownWords` has it, or in the node's words, with its place. */
  words?: ((issue: Issue) => string) | undefined;
  /** Further ways out. */
  children?: ReactNode;
}

/** What went wrong, what it means and what can be done, where it happened. */
export function Problem({ error, retry, words, children }: ProblemProps) {
  const { t } = useTexts();
  const said = saidOf(error);
  const issues = error instanceof Failure ? error.issues : [];
  return (
    <div role="alert" className="flex gap-3 rounded-md border border-danger/40 bg-danger-soft p-3">
      <CircleAlert size={18} className="mt-0.5 shrink-0 text-danger" aria-hidden />
      <div className="min-w-0 flex-1">
        <p className="font-medium break-words">{t(sentenceOf(error))}</p>
        {issues.length > 0 ? (
          <ul className="mt-1 list-disc pl-5 text-quiet">
            {issues.map(({ path, message }) => (
              <li key={`${path.join('.')} ${message}`} className="break-words">
                {words?.({ path, message }) ?? ownWords(t, message) ?? (
                  <>
                    <code className="font-mono text-xs">{path.join('.')}</code> {message}
                  </>
                )}
              </li>
            ))}
          </ul>
        ) : (
          said && <p className="mt-1 text-quiet break-words">{ownWords(t, said) ?? said}</p>
        )}
        {(retry || children) && (
          <div className="mt-2 flex flex-wrap gap-2">
            {retry && <Button onClick={retry}>{t('action.retry')}</Button>}
            {children}
          </div>
        )}
      </div>
    </div>
  );
}
