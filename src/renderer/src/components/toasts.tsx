import { X } from 'lucide-react';
import { Toast as Radix } from 'radix-ui';
import { useSyncExternalStore } from 'react';
import { useCommands } from '../commands/commands.ts';
import { newListeners } from '../listeners.ts';
import { useTexts } from '../messages/texts.tsx';
import { IconButton } from './button.tsx';
import { KeyCaps } from './key-caps.tsx';

interface Toast {
  id: number;
  text: string;
  action?: { label: string; run(): void } | undefined;
}

let toasts: readonly Toast[] = [];
let count = 0;
const { subscribe, tell } = newListeners();

function change(next: readonly Toast[]): void {
  toasts = next;
  tell();
}

/** Says for a while, at the bottom, that something was done; what went wrong is said where it happened. */
export function toast(text: string, action?: Toast['action']): void {
  change([...toasts.slice(-2), { id: ++count, text, action }]);
}

export function Toasts() {
  const { t } = useTexts();
  const shown = useSyncExternalStore(subscribe, () => toasts);
  const remove = (id: number) => change(toasts.filter((other) => other.id !== id));
  const last = shown.findLast(({ action }) => action);
  const take = () => {
    if (!last) return;
    remove(last.id);
    last.action?.run();
  };
  // It is gone before somebody without a mouse has found it.
  useCommands(
    last?.action ? [{ id: 'toast', label: last.action.label, group: t('group.page'), keys: ['z'], run: take }] : [],
  );
  return (
    <Radix.Provider label={t('toast.label')} duration={6000}>
      {shown.map(({ id, text, action }) => (
        <Radix.Root
          key={id}
          onOpenChange={(open) => !open && remove(id)}
          className="flex min-h-10 items-center gap-2 py-1 pr-3 pl-5"
        >
          <Radix.Description className="flex-1">{text}</Radix.Description>
          {action && (
            <Radix.Action
              altText={action.label}
              onClick={action.run}
              className="flex h-8 items-center gap-1.5 rounded px-2 font-medium text-accent hover:bg-sunken"
            >
              {action.label}
              {id === last?.id && <KeyCaps keys="z" />}
            </Radix.Action>
          )}
          <Radix.Close asChild>
            <IconButton label={t('dialog.close')}>
              <X size={14} aria-hidden />
            </IconButton>
          </Radix.Close>
        </Radix.Root>
      ))}
      {/* In a line of its own below the screen, so that it covers nothing. */}
      <Radix.Viewport className="shrink-0 divide-y divide-line border-t border-line bg-surface empty:hidden" />
    </Radix.Provider>
  );
}
