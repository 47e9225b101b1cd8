import { useEffect, useState } from 'react';
import { useCommands } from '../../commands/commands.ts';
import { useTexts } from '../../messages/texts.tsx';

/** Whether an import can begin. */
interface Readiness {
  ready: boolean;
  /** It comes to be ready by itself. */
  coming: boolean;
  /** What would begin, as text: where it becomes another one meanwhile nothing does. */
  what: string;
}

const always: Readiness = { ready: true, coming: false, what: '' };

/**
 * Beginning an import, by keys and from the palette; as soon as it is ready where that is on its way. True while that is waited
 * for.
 */
export function useStartCommand(start: () => Promise<void>, { ready, coming, what }: Readiness = always): boolean {
  const { t } = useTexts();
  const [wanted, setWanted] = useState<string | null>(null);
  const waits = wanted !== null && wanted === what && coming && !ready;
  // biome-ignore lint/correctness/useExhaustiveDependencies: what begins is that of now
  useEffect(() => {
    if (wanted === null || waits) return;
    setWanted(null);
    if (ready && wanted === what) void start();
  }, [wanted, waits, ready, what]);
  useCommands([
    {
      id: 'start-import',
      label: t('import.start'),
      group: t('group.import'),
      keys: ['Mod+Enter'],
      run: () => setWanted(what),
    },
  ]);
  return waits;
}
