import { useSyncExternalStore } from 'react';
import { newListeners } from '../listeners.ts';
import type { Language } from '../messages/texts.tsx';

/** How one person wants the page; nothing of what the node holds. */
export interface Preferences {
  /** The system's if there is none. */
  theme?: 'light' | 'dark';
  /** The browser's if there is none. */
  language?: Language;
  /** Whether single letters are shortcuts. */
  letters: boolean;
}

// A cookie and not the local storage: that is another one for each port, and the desktop takes a free port at each start.
const name = 'archeion_page';
const year = 31_536_000;
const { subscribe, tell } = newListeners();
let current = read(document.cookie);
apply(current);
// They may have been changed in another tab meanwhile.
window.addEventListener('focus', () => {
  const { theme, language, letters } = read(document.cookie);
  if (theme === current.theme && language === current.language && letters === current.letters) return;
  current = { theme, language, letters };
  changed();
});

export function usePreferences(): Preferences {
  return useSyncExternalStore(subscribe, preferences);
}

export function preferences(): Preferences {
  return current;
}

export function setPreferences(change: Partial<Preferences>): void {
  current = { ...current, ...change };
  const { theme = '', language = '', letters } = current;
  const value = new URLSearchParams({ theme, language, letters: letters ? 'on' : 'off' });
  // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store is not in every browser
  document.cookie = `${name}=${encodeURIComponent(String(value))}; Path=/ui; Max-Age=${year}; SameSite=Strict`;
  changed();
}

function changed(): void {
  apply(current);
  tell();
}

function read(cookies: string): Preferences {
  const text = new RegExp(`(?:^|; )${name}=([^;]*)`).exec(cookies)?.[1] ?? '';
  const values = new URLSearchParams(decoded(text));
  const [theme, language] = [values.get('theme'), values.get('language')];
  return {
    ...(theme === 'light' || theme === 'dark' ? { theme } : {}),
    ...(language === 'en' || language === 'de' ? { language } : {}),
    letters: values.get('letters') !== 'off',
  };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return '';
  }
}

function apply({ theme }: Preferences): void {
  if (theme) document.documentElement.dataset.theme = theme;
  else delete document.documentElement.dataset.theme;
}
