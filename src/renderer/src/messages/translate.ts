import type en from './en.json';

/** The texts of one language. English is complete by definition; the others are checked against it. */
export type Messages = Record<keyof typeof en, string>;

type WithoutNumber<K> = K extends `${infer Base}_one` ? Base : K extends `${infer Base}_other` ? Base : K;

/** A text's name. One with `_one` and `_other` is asked for without them, and with the value `count`. */
export type MessageKey = WithoutNumber<keyof typeof en>;

/** What stands in a text's `{places}`; numbers and dates are written as the language does. */
export type Values = Record<string, string | number | Date>;

export interface Texts {
  /** A BCP 47 tag. */
  language: string;
  t(key: MessageKey, values?: Values): string;
  /** The text around its places: strings, and the name of a place as `{ place }`. */
  parts(key: MessageKey, values?: Values): (string | { place: string })[];
  number(value: number): string;
  /** A text with `_one` and `_other` and the place `{number}`. */
  counted(key: MessageKey, count: number): string;
  date(value: Date): string;
  /** What is no time is shown as another program wrote it: a text, or nothing. */
  dateTime(value: Date | string | number | null): string;
  /** A time that something takes or took, in its two largest units. */
  duration(seconds: number): string;
  milliseconds(value: number): string;
  /** The time of a day. */
  time(value: Date): string;
  /** How long ago it was, or in which time it will be: in hours on the same day, in days of the calendar from then on. */
  ago(value: Date): string;
  /** Several in one sentence. */
  list(texts: readonly string[]): string;
  /** As in a sentence, with its word for `and`. */
  both(texts: readonly string[]): string;
  /** The same with its word for `or`. */
  either(texts: readonly string[]): string;
  /** A size in bytes, kilobytes and so on, of 1,000 each. */
  bytes(value: number): string;
}

const units = [
  [3600, 'hour'],
  [60, 'minute'],
] as const;

const place = /\{(\w+)\}/;

/** Made when it is first asked for: each formatter of a language takes milliseconds, and a screen needs few of them. */
function once<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

/** The number of a moment's day in the calendar of this place. */
function dayOf(moment: Date): number {
  return Date.UTC(moment.getFullYear(), moment.getMonth(), moment.getDate()) / 86_400_000;
}

/** The texts of a language, and how it writes numbers and dates. */
export function textsOf(language: string, messages: Messages): Texts {
  const plural = once(() => new Intl.PluralRules(language));
  const number = once(() => new Intl.NumberFormat(language));
  const date = once(() => new Intl.DateTimeFormat(language, { dateStyle: 'medium' }));
  const time = once(() => new Intl.DateTimeFormat(language, { timeStyle: 'medium' }));
  const relative = once(() => new Intl.RelativeTimeFormat(language, { numeric: 'auto' }));
  const list = once(() => new Intl.ListFormat(language, { type: 'unit' }));
  const both = once(() => new Intl.ListFormat(language));
  const either = once(() => new Intl.ListFormat(language, { type: 'disjunction' }));
  const dateTime = once(() => new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'short' }));

  const inUnits = new Map<string, Intl.NumberFormat>();

  function measured(value: number, unit: string, options: Intl.NumberFormatOptions): string {
    const format = inUnits.get(unit) ?? new Intl.NumberFormat(language, { style: 'unit', unit, ...options });
    inUnits.set(unit, format);
    return format.format(value);
  }

  function template(key: MessageKey, values: Values): string {
    if (key in messages) return messages[key as keyof Messages];
    const form = plural().select(Number(values.count ?? 0)) === 'one' ? 'one' : 'other';
    return messages[`${key}_${form}` as keyof Messages];
  }

  function shown(value: string | number | Date): string {
    if (typeof value === 'number') return number().format(value);
    return value instanceof Date ? date().format(value) : value;
  }

  function parts(key: MessageKey, values: Values = {}): (string | { place: string })[] {
    return template(key, values)
      .split(place)
      .map((part, i) => (i % 2 === 0 ? part : part in values ? shown(values[part]!) : { place: part }));
  }

  function t(key: MessageKey, values?: Values): string {
    return parts(key, values)
      .map((part) => (typeof part === 'string' ? part : `{${part.place}}`))
      .join('');
  }

  return {
    language,
    parts,
    t,
    counted: (key, count) => t(key, { count, number: count }),
    number: (value) => number().format(value),
    date: (value) => date().format(value),
    dateTime(value) {
      const at = new Date(value ?? Number.NaN);
      if (!Number.isNaN(at.getTime())) return dateTime().format(at);
      return typeof value === 'string' ? value : t('value.noTime');
    },
    duration(seconds) {
      const parts = [
        { unit: 'day', value: Math.floor(seconds / 86_400) },
        { unit: 'hour', value: Math.floor(seconds / 3600) % 24 },
        { unit: 'minute', value: Math.floor(seconds / 60) % 60 },
        { unit: 'second', value: Math.floor(seconds) % 60 },
      ];
      const first = Math.max(
        0,
        parts.findIndex(({ value }) => value > 0),
      );
      const shown = seconds < 1 ? parts.slice(-1) : parts.slice(first, first + 2).filter(({ value }) => value > 0);
      return shown.map(({ unit, value }) => measured(value, unit, { unitDisplay: 'long' })).join(' ');
    },
    milliseconds: (value) => measured(value, 'millisecond', { unitDisplay: 'long' }),
    time: (value) => time().format(value),
    ago(value) {
      const now = new Date();
      const seconds = Math.round((value.getTime() - now.getTime()) / 1000);
      const days = dayOf(value) - dayOf(now);
      if (days !== 0 && Math.abs(seconds) >= 3600) return relative().format(days, 'day');
      const [size, unit] = units.find(([size]) => Math.abs(seconds) >= size * 0.9) ?? ([1, 'second'] as const);
      return relative().format(Math.round(seconds / size), unit);
    },
    list: (texts) => list().format(texts),
    both: (texts) => both().format(texts),
    either: (texts) => either().format(texts),
    bytes(value) {
      const power = value < 1000 ? 0 : Math.min(4, Math.floor(Math.log10(value) / 3));
      const unit = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte'][power] as string;
      return measured(value / 1000 ** power, unit, {
        unitDisplay: power === 0 ? 'long' : 'short',
        maximumFractionDigits: power === 0 ? 0 : 1,
      });
    },
  };
}
