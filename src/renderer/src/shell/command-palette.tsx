import { Command as Palette } from 'cmdk';
import { Dialog } from 'radix-ui';
import { useMemo, useRef } from 'react';
import { availableCommands } from '../commands/commands.ts';
import { KeyCaps } from '../components/key-caps.tsx';
import { onceHeld } from '../components/once-held.ts';
import { Shade } from '../components/shade.tsx';
import { useFocusBack } from '../components/use-focus-back.ts';
import { useTexts } from '../messages/texts.tsx';

/** Everything that can be done now, found by a part of its name. */
export function CommandPalette({ open, onClose }: { open: boolean; onClose(): void }) {
  const { t } = useTexts();
  // What is available is looked at when it opens.
  const groups = useMemo(() => [...Map.groupBy(open ? availableCommands() : [], ({ group }) => group)], [open]);
  const back = useFocusBack(open);
  const chosen = useRef<(() => void) | null>(null);
  // The focus goes back first, so that the command may move it.
  const closed = (event: Event) => {
    back(event);
    chosen.current?.();
    chosen.current = null;
  };
  return (
    <Dialog.Root open={open} onOpenChange={(next) => !next && onClose()}>
      <Dialog.Portal>
        <Shade onClick={onClose} />
        <Dialog.Content
          aria-describedby={undefined}
          onCloseAutoFocus={closed}
          onInteractOutside={(event) => event.preventDefault()}
          className="fixed top-[12vh] left-1/2 z-50 w-[calc(100vw-2rem)] max-w-xl -translate-x-1/2 overflow-hidden rounded-lg border border-line bg-surface shadow-xl"
        >
          <Dialog.Title className="sr-only">{t('palette.open')}</Dialog.Title>
          <Palette label={t('palette.open')} loop onKeyDown={onceHeld}>
            <Palette.Input
              placeholder={t('palette.placeholder')}
              className="h-11 w-full border-b border-line bg-transparent px-4 text-base outline-none placeholder:text-quiet"
            />
            <Palette.List className="max-h-[50vh] overflow-auto p-1.5" label={t('palette.open')}>
              <Palette.Empty className="p-4 text-quiet">{t('palette.nothing')}</Palette.Empty>
              {groups.map(([group, commands]) => (
                <Palette.Group
                  key={group}
                  heading={group}
                  className="[&_[cmdk-group-heading]]:px-2 [&_[cmdk-group-heading]]:py-1 [&_[cmdk-group-heading]]:text-xs [&_[cmdk-group-heading]]:text-quiet"
                >
                  {commands
                    .filter(({ palette }) => palette !== false)
                    .map(({ id, label, keys, run }) => (
                      <Palette.Item
                        key={id}
                        value={`${label} ${id}`}
                        onSelect={() => {
                          chosen.current = run;
                          onClose();
                        }}
                        className="flex h-8 items-center gap-2 rounded px-2 data-[selected=true]:bg-accent-soft"
                      >
                        <span className="flex-1">{label}</span>
                        {keys?.[0] && <KeyCaps keys={keys[0]} />}
                      </Palette.Item>
                    ))}
                </Palette.Group>
              ))}
            </Palette.List>
          </Palette>
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
