import { createContext, Fragment, type ReactNode, use, useEffect, useMemo, useState } from 'react';
import { usePreferences } from '../preferences/preferences.ts';
import en from './en.json';
import { type MessageKey, type Messages, type Texts, textsOf, type Values } from './translate.ts';

/** The languages of the page; all but English are loaded when they are wanted. */
export const languages = {
  en: { name: 'English', load: async (): Promise<Messages> => en },
  de: { name: 'Deutsch', load: async (): Promise<Messages> => (await import('./de.json')).default },
};

export type Language = keyof typeof languages;

const Context = createContext<Texts>(textsOf('en', en));

/** The texts of the language that the page is in. */
export function useTexts(): Texts {
  return use(Context);
}

/** A text with elements in its places. */
export function Text({
  id,
  values,
  ...places
}: { id: MessageKey; values?: Values } & Record<string, ReactNode | Values>) {
  const parts = useTexts().parts(id, values);
  return parts.map((part, i) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text have no other name
    <Fragment key={i}>{typeof part === 'string' ? part : (places[part.place] as ReactNode)}</Fragment>
  ));
}

/** The browser's first language that the page has, English if none. */
function browserLanguage(wanted: readonly string[]): Language {
  const tags = wanted.map((tag) => tag.split('-')[0] ?? '');
  return tags.find((tag): tag is Language => tag in languages) ?? 'en';
}

/** Numbers and dates as the browser is set, where it is set to a variety of the page's language. */
function localeOf(language: Language): string {
  return navigator.languages.find((tag) => tag.split('-')[0] === language) ?? language;
}

export function TextsProvider({ children }: { children: ReactNode }) {
  const chosen = usePreferences().language ?? browserLanguage(navigator.languages);
  const [loaded, setLoaded] = useState<{ language: Language; messages: Messages }>({ language: 'en', messages: en });
  useEffect(() => {
    let wanted = true;
    languages[chosen].load().then(
      // The same again would be shown anew, all of it.
      (messages) => wanted && setLoaded((now) => (now.language === chosen ? now : { language: chosen, messages })),
      // Without the file the page stays readable, in English.
      () => undefined,
    );
    return () => {
      wanted = false;
    };
  }, [chosen]);
  useEffect(() => {
    document.documentElement.lang = loaded.language;
  }, [loaded.language]);
  const texts = useMemo(() => textsOf(localeOf(loaded.language), loaded.messages), [loaded]);
  return <Context value={texts}>{children}</Context>;
}
