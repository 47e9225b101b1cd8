/** Where a text stops being JSON, for people: lines and columns from 1. `object`: it is JSON, and no object. */
export interface JsonFault {
  reason: 'syntax' | 'object';
  line: number;
  column: number;
}

/** What is wrong with a text that is to be a JSON object; null if nothing is. */
export function jsonFault(text: string): JsonFault | null {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return null;
    return { reason: 'object', line: 1, column: 1 };
  } catch {
    const before = text.slice(0, faultOffset(text)).split('\n');
    return { reason: 'syntax', line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
  }
}

const token =
  /\s*(?:([{}[\],:])|("(?:[^"\\\p{Cc}]|\\(?:["\\/bfnrt]|u[\dA-Fa-f]{4}))*")|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[Ee][-+]?\d+)?|true|false|null)/uy;

/** What may come next: a value, the same or the end of a list, a name, the same or the end of an object, and so on. */
type Expected = 'value' | 'value]' | 'name' | 'name}' | ':' | ',';

/** The offset of the first sign that no JSON text has there. Browsers tell it each in its way, or not at all. */
function faultOffset(text: string): number {
  const open: ('{' | '[')[] = [];
  let expected: Expected | 'end' = 'value';
  token.lastIndex = 0;
  for (let at = 0; ; at = token.lastIndex) {
    const start = at + (/^\s*/.exec(text.slice(at))?.[0].length ?? 0);
    const found = token.exec(text);
    if (!found) return start;
    const [, sign, string] = found;
    const inside = open.at(-1);
    const after = (): Expected | 'end' => (open.length > 0 ? ',' : 'end');
    if (sign === '{' || sign === '[') {
      if (expected !== 'value' && expected !== 'value]') return start;
      open.push(sign);
      expected = sign === '{' ? 'name}' : 'value]';
    } else if (sign === '}' || sign === ']') {
      const closes = sign === '}' ? '{' : '[';
      if (inside !== closes || (expected !== ',' && expected !== `${sign === '}' ? 'name' : 'value'}${sign}`))
        return start;
      open.pop();
      expected = after();
    } else if (sign === ',') {
      if (expected !== ',') return start;
      expected = inside === '{' ? 'name' : 'value';
    } else if (sign === ':') {
      if (expected !== ':') return start;
      expected = 'value';
    } else if (expected === 'name' || expected === 'name}') {
      if (string === undefined) return start;
      expected = ':';
    } else {
      if (expected !== 'value' && expected !== 'value]') return start;
      expected = after();
    }
  }
}
