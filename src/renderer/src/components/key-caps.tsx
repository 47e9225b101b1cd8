import { keyCaps, pressesOf } from '../commands/keys.ts';
import { useTexts } from '../messages/texts.tsx';
import type { MessageKey } from '../messages/translate.ts';
import { usePreferences } from '../preferences/preferences.ts';

const mac = /mac|iphone|ipad/i.test(navigator.platform);

/** What stands on a key in another language otherwise. */
const words: Record<string, MessageKey> = { Ctrl: 'key.control', Delete: 'key.delete', Space: 'key.space' };

/** A shortcut as the keyboard has it written; nothing where single letters are no shortcuts. */
export function KeyCaps({ keys }: { keys: string }) {
  const { t } = useTexts();
  const { letters } = usePreferences();
  if (!letters && pressesOf(keys).every((press) => press.length === 1 && press !== '?')) return null;
  return (
    <span className="inline-flex items-center gap-1 whitespace-nowrap">
      {pressesOf(keys)
        .flatMap((press) => keyCaps(press, mac))
        .map((cap, i) => (
          <kbd
            // biome-ignore lint/suspicious/noArrayIndexKey: the same key may be pressed twice
            key={i}
            className="min-w-5 rounded border border-line bg-sunken px-1 text-center font-mono text-xs text-quiet"
          >
            {words[cap] ? t(words[cap]) : cap}
          </kbd>
        ))}
    </span>
  );
}
