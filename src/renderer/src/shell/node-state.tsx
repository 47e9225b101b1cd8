import { useTexts } from '../messages/texts.tsx';
import { useHealth } from '../session/health.ts';

/** Whether the node answers, in a word and a colour. */
export function NodeState() {
  const { t } = useTexts();
  const { isError, data } = useHealth();
  const state = isError ? 'health.down' : data ? 'health.up' : 'health.asking';
  const colour = isError ? 'bg-danger' : data ? 'bg-good' : 'bg-edge';
  return (
    <span
      role="status"
      className="flex flex-1 items-center gap-2 px-1 text-xs text-quiet"
      title={data && `Archeion ${data.version}`}
    >
      <span className={`size-2 rounded-full ${colour}`} aria-hidden />
      {t(state)}
    </span>
  );
}
