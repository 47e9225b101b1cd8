import { keyCaps, pressesOf } from '../commands/keys.ts';

const mac = /mac|iphone|ipad/i.test(navigator.platform);

/** A shortcut as the keyboard has it written. */
export function KeyCaps({ keys }: { keys: string }) {
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
            {cap}
          </kbd>
        ))}
    </span>
  );
}
