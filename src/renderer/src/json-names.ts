import JSON5 from 'json5';

/**
 * A `JSON.parse` that gives each member the name that is written there. An engine's own may give one whose name has an escape
 * the name of another text's member that it has read before (nodejs/node#63785; Chromium 150).
 */
export function withWrittenNames(parse: typeof JSON.parse): typeof JSON.parse {
  return (text, reviver) => {
    // First, since JSON5 takes more than JSON.
    const value: unknown = parse(text);
    const written = String(text);
    if (hasEscapedName(written)) return JSON5.parse(written.replace(separators, escaped), reviver);
    return reviver ? parse(text, reviver) : value;
  };
}

// JSON5 warns of those that are not escaped.
const separators = /[\u2028\u2029]/g;
const escaped = (separator: string) => (separator === '\u2028' ? '\\u2028' : '\\u2029');

const strings = /"(?:[^"\\]+|\\.)*"(\s*:)?/g;

function hasEscapedName(text: string): boolean {
  if (!text.includes('\\')) return false;
  for (const [string, colon] of text.matchAll(strings)) if (colon && string.includes('\\')) return true;
  return false;
}
