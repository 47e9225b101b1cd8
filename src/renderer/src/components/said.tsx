import { saidOf, sentenceOf } from '../api/failure.ts';
import { useTexts } from '../messages/texts.tsx';
import { NodeSaid } from './node-said.tsx';

/** In a line: what an error means, and what the node said of it where that is more. */
export function Said({ error }: { error: unknown }) {
  const { t } = useTexts();
  const said = saidOf(error);
  return (
    <>
      {t(sentenceOf(error))}
      {said !== null && (
        <>
          {' '}
          <NodeSaid said={said} />
        </>
      )}
    </>
  );
}
