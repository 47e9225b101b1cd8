import { useTexts } from '../messages/texts.tsx';
import { ownWords } from './node-words.ts';

/** What the node has said, in the page's words where it has such, else in the node's. */
export function NodeSaid({ said }: { said: string }) {
  const { t } = useTexts();
  const own = ownWords(t, said);
  return <bdi lang={own === null ? 'en' : undefined}>{own ?? said}</bdi>;
}
