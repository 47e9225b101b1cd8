import { useMemo } from 'react';
import { availableCommands } from '../commands/commands.ts';
import { Dialog } from '../components/dialog.tsx';
import { KeyCaps } from '../components/key-caps.tsx';
import { useTexts } from '../messages/texts.tsx';

/** Every shortcut that works on this screen. */
export function KeyboardHelp({ open, onClose }: { open: boolean; onClose(): void }) {
  const { t } = useTexts();
  const groups = useMemo(() => {
    const withKeys = (open ? availableCommands() : []).filter(({ keys }) => keys?.length);
    return [...Map.groupBy(withKeys, ({ group }) => group)];
  }, [open]);
  return (
    <Dialog open={open} onClose={onClose} title={t('help.title')} about={t('help.about')} wide reading>
      <div className="gap-x-8 sm:columns-2">
        {groups.map(([group, commands]) => (
          <section key={group} className="mb-4 break-inside-avoid">
            <h3 className="mb-1 text-xs font-medium text-quiet">{group}</h3>
            <dl className="divide-y divide-line">
              {commands.map(({ id, label, keys }) => (
                <div key={id} className="flex items-center gap-3 py-1.5">
                  <dt className="flex-1">{label}</dt>
                  <dd className="flex gap-3">
                    {keys?.map((one) => (
                      <KeyCaps key={one} keys={one} />
                    ))}
                  </dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
    </Dialog>
  );
}
