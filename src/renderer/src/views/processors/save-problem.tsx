import { Failure, type Issue } from '../../api/failure.ts';
import { Button } from '../../components/button.tsx';
import { Problem } from '../../components/problem.tsx';
import { useTexts } from '../../messages/texts.tsx';

interface SaveProblemProps {
  error: unknown;
  /** Saves what was typed over what somebody else has saved meanwhile: the version of this CID, and no later one. */
  onOver(tip: string): void;
  words?: (issue: Issue) => string;
}

/** Why a processor was not saved, and the way on where somebody else was quicker. */
export function SaveProblem({ error, onOver, words }: SaveProblemProps) {
  const { t } = useTexts();
  const theirs = error instanceof Failure && error.kind === 'conflict' ? error.details.actual : undefined;
  return (
    <Problem error={error} words={words}>
      {typeof theirs === 'string' && <Button onClick={() => onOver(theirs)}>{t('processor.saveOnTop')}</Button>}
    </Problem>
  );
}
