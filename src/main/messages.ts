import { app, type MessageBoxOptions } from 'electron';
import messages from './messages.json' with { type: 'json' };

export type MessageKey = keyof typeof messages;
type Values = Record<string, string | number>;
/** In the order in which the file has them. */
const languages = ['en', 'de'];

/** A text in the first of the system's languages that there is, English if none; numbers as that language writes them. */
export function text(key: MessageKey, values: Values = {}): string {
  const wanted = app.getPreferredSystemLanguages().map((tag) => tag.split('-')[0] ?? '');
  const language = wanted.find((one) => languages.includes(one)) ?? 'en';
  const template = messages[key][languages.indexOf(language)] ?? '';
  return template.replace(/\{(\w+)\}/g, (_, name) => (values[name] ?? '').toLocaleString(language));
}

type Name = { [K in MessageKey]: `${K}Detail` extends MessageKey ? K : never }[MessageKey];
type Type = MessageBoxOptions['type'];

/** A message box with a text and its detail; closing it is the button of the number `cancel`. */
export function box(type: Type, name: Name, values: Values = {}, buttons: MessageKey[] = [], cancelId = 0) {
  const [message, detail] = [text(name, values), text(`${name}Detail`, values)];
  return { type, message, detail, buttons: buttons.map((key) => text(key)), defaultId: 0, cancelId };
}
