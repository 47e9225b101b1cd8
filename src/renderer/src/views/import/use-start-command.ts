import { useCommands } from '../../commands/commands.ts';
import { useTexts } from '../../messages/texts.tsx';

/** Beginning an import, by keys and from the palette. */
export function useStartCommand(start: () => Promise<void>): void {
  const { t } = useTexts();
  useCommands([
    {
      id: 'start-import',
      label: t('import.start'),
      group: t('group.import'),
      keys: ['Mod+Enter'],
      run: () => void start(),
    },
  ]);
}
