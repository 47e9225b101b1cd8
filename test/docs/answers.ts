import { isDeepStrictEqual } from 'node:util';

/** What an answer has taught: the names that stand in pages (`$WORK`), and what stood there. */
export type Names = Map<string, string>;

/**
 * What an answer is not as a page shows it; empty where it is. In a page `…` is anything and `...` more members or items.
 * `$NAME` is anything where the name is new, which is learned, and else what was learned of it.
 */
export function differences(language: string, shown: string, answered: string, names: Names): string[] {
  if (language === 'http') return httpDifferences(shown, answered, names);
  if (language === 'json') return jsonDifferences(parse(shown), JSON.parse(answered), names, '');
  if (language === 'text') return textDifferences(shown, answered, names);
  throw new Error(`An answer is shown as http, json or text, not as "${language}".`);
}

/** Status line and headers as `curl -i` prints them; of headers those that are shown. */
function httpDifferences(shown: string, answered: string, names: Names): string[] {
  const [wantedHead, wantedBody] = parts(shown);
  const [head, body] = parts(answered.replaceAll('\r\n', '\n').replace(/^HTTP\/1.1 100 [^\n]*\n\n/, ''));
  const [wantedStatus = '', ...wantedHeaders] = wantedHead.split('\n');
  const [status = '', ...headers] = head.split('\n');
  if (status !== wantedStatus) return [`It was answered ${status}, not ${wantedStatus}: ${body}`];
  const lacking = wantedHeaders.filter((wanted) => !headers.some((header) => fits(wanted, header, names)));
  const found = lacking.map((wanted) => `There is no header ${wanted} among ${headers.join(', ')}`);
  if (wantedBody === '') return body === '' ? found : [...found, `There is a body: ${body}`];
  if (!/^[[{]/.test(wantedBody)) return [...found, ...textDifferences(`${wantedBody}\n`, `${body}\n`, names)];
  return [...found, ...jsonDifferences(parse(wantedBody), JSON.parse(body), names, '')];
}

function parts(text: string): [head: string, body: string] {
  const at = text.indexOf('\n\n');
  return at === -1 ? [text.trim(), ''] : [text.slice(0, at).trim(), text.slice(at).trim()];
}

/** Lines; one of `…` alone is any number of lines. Spaces count as one. */
function textDifferences(shown: string, answered: string, names: Names): string[] {
  const tidy = answered.replace(/[ \t]+/g, ' ').replace(/ $/gm, '');
  const lines = shown.trimEnd().split('\n');
  const pattern = lines.map((line) => (line.trim() === '…' ? '(?:.*\\n)*?' : `${patternOf(line, names)}\\n`)).join('');
  const match = new RegExp(`^${pattern}$`, 'u').exec(`${tidy.trimEnd()}\n`);
  if (!match) return [`It is\n${answered}and not\n${shown}`];
  learn(match, names);
  return [];
}

const fits = (shown: string, value: string, names: Names): boolean => {
  const match = new RegExp(`^${patternOf(shown, names)}$`, 'u').exec(value);
  if (match) learn(match, names);
  return match !== null;
};

function learn(match: RegExpExecArray, names: Names): void {
  for (const [name, value] of Object.entries(match.groups ?? {})) names.set(name, value);
}

function patternOf(shown: string, names: Names): string {
  const seen = new Set<string>();
  return shown
    .trimEnd()
    .replace(/[ \t]+/g, ' ')
    .split(/(…|\$[A-Z][A-Z_]*)/)
    .map((piece) => {
      if (piece === '…') return '.*?';
      const name = /^\$([A-Z_]+)$/.exec(piece)?.[1];
      if (name === undefined) return RegExp.escape(piece);
      const known = names.get(name);
      if (known !== undefined) return RegExp.escape(known);
      if (seen.has(name)) return `\\k<${name}>`;
      seen.add(name);
      return `(?<${name}>\\S+?)`;
    })
    .join('');
}

const more = '...';

/** JSON in which `...` stands for more members or items. */
function parse(shown: string): unknown {
  const text = shown
    .replace(/([{,]\s*)\.\.\.(\s*})/g, `$1"${more}": true$2`)
    .replace(/([[,]\s*)\.\.\.(\s*\])/g, `$1"${more}"$2`);
  return JSON.parse(text);
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function jsonDifferences(shown: unknown, value: unknown, names: Names, at: string): string[] {
  const where = at === '' ? 'The answer' : at;
  if (typeof shown === 'string' && typeof value === 'string')
    return fits(shown, value, names) ? [] : [`${where} is ${JSON.stringify(value)}, not ${JSON.stringify(shown)}`];
  if (Array.isArray(shown) && Array.isArray(value)) {
    const open = shown.at(-1) === more;
    const items = open ? shown.slice(0, -1) : shown;
    const found = items.flatMap((item, index) => jsonDifferences(item, value[index], names, `${at}[${index}]`));
    if (value.length > items.length && !open) found.push(`${where} has ${value.length} items, not ${items.length}`);
    return found;
  }
  if (isObject(shown) && isObject(value)) {
    const found = Object.entries(shown)
      .filter(([name]) => name !== more)
      .flatMap(([name, item]) => jsonDifferences(item, value[name], names, `${at}.${name}`));
    const surplus = Object.keys(value).filter((name) => !(name in shown));
    if (surplus.length > 0 && !(more in shown)) found.push(`${where} also has ${surplus.join(', ')}`);
    return found;
  }
  return isDeepStrictEqual(shown, value) ? [] : [`${where} is ${JSON.stringify(value)}, not ${JSON.stringify(shown)}`];
}
