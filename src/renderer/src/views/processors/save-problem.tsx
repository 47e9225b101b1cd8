import { Failure, type Issue } from '../../api/failure.ts';
import { Button } from '../../components/button.tsx';
import { Problem } from '../../components/problem.tsx';
import { useTexts } from '../../messages/texts.tsx';

interface SaveProblemProps {
  error: unknown;
  /** Saves what was typed over what somebody else has saved meanwhile. */
  onAgain(): void;
  words?: (issue: Issue) => string;
}

/** Why a processor was not saved, and the way on where somebody else was quicker. */
export function SaveProblem({ error, onAgain, words }: SaveProblemProps) {
  const { t } = useTexts();
  return (
    <Problem error={error} words={words}>
      {error instanceof Failure && error.kind === 'conflict' && (
        <Button onClick={onAgain}>{t('processor.saveOnTop')}</Button>
      )}
    </Problem>
  );
}
