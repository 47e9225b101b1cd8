import { useTexts } from '../messages/texts.tsx';
import { permissionWords } from './permission-words.ts';

/** A permission in words, with its name beside them. */
export function Permission({ action }: { action: string }) {
  const { t } = useTexts();
  const words = permissionWords(t, action);
  const name = (
    <code className={words ? 'font-mono text-xs text-quiet' : 'font-mono text-xs'} dir="ltr">
      {action}
    </code>
  );
  return words ? (
    <>
      {words} {name}
    </>
  ) : (
    name
  );
}
