const quote = '"';
const backslash = 0x5c;
/** With which a name begins that stands for one that cannot be written without an escape. */
const mark = '~';

/**
 * The value of a JSON text, as `JSON.parse` gives it by its specification. The engine's own may give a member whose name is
 * written with an escape the name of another text's member that it has read before: `"\n"` comes as `"\\"` where the same
 * members stood before one of that name (nodejs/node#63785; Node 24 and 26). So it is given none to read: those names are
 * written without an escape, or stand in another spelling until it has read them. @throws SyntaxError
 */
export function fromJson(text: string): unknown {
  const plain = text.includes('\\') ? withoutEscapedNames(text) : null;
  if (plain === null) return JSON.parse(text);
  let value: unknown;
  try {
    value = JSON.parse(plain);
  } catch {
    // Says where in this text.
    return JSON.parse(text);
  }
  restoreNames(value);
  return value;
}

/** The same of bytes, as long reads give them and other programs send them: a byte order mark says nothing. @throws SyntaxError */
export function jsonOf(bytes: Uint8Array): unknown {
  return fromJson(new TextDecoder().decode(bytes));
}

/** The value of a JSON text, null for what is no JSON. */
export function jsonOrNull(text: string): unknown {
  try {
    return fromJson(text);
  } catch {
    return null;
  }
}

/** The text with other spellings of the names that have escapes; null where there are none. Of no JSON anything. */
function withoutEscapedNames(text: string): string | null {
  let plain = '';
  let copied = 0;
  for (let at = text.indexOf(quote); at !== -1; ) {
    const end = endOfText(text, at);
    if (isName(text, end)) {
      const written = text.slice(at, end);
      if (written.includes('\\') || written[1] === mark) {
        plain += text.slice(copied, at) + spelled(written);
        copied = end;
      }
    }
    at = text.indexOf(quote, end);
  }
  return copied === 0 ? null : plain + text.slice(copied);
}

/** Behind the closing quote of the text that begins at `from`. */
export function endOfText(text: string, from: number): number {
  for (let end = text.indexOf(quote, from + 1); end !== -1; end = text.indexOf(quote, end + 1)) {
    let slashes = 0;
    while (text.charCodeAt(end - 1 - slashes) === backslash) slashes++;
    if (slashes % 2 === 0) return end + 1;
  }
  return text.length;
}

const solid = /[^ \t\r\n]/g;

function isName(text: string, end: number): boolean {
  solid.lastIndex = end;
  return solid.test(text) && text[solid.lastIndex - 1] === ':';
}

/** One spelling for each name, however it was written, so that of two members of one name the last still stands. */
function spelled(written: string): string {
  const name = JSON.parse(written) as string;
  const usual = JSON.stringify(name);
  if (!usual.includes('\\') && !name.startsWith(mark)) return usual;
  const units = Array.from({ length: name.length }, (_, i) => name.charCodeAt(i).toString(16).padStart(4, '0'));
  return `"${mark}${units.join('')}"`;
}

function restored(name: string): string {
  const units = name.slice(mark.length).match(/.{4}/g) ?? [];
  return units.map((unit) => String.fromCharCode(Number.parseInt(unit, 16))).join('');
}

function restoreNames(value: unknown): void {
  const left = [value];
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    if (typeof next !== 'object' || next === null) continue;
    if (!Array.isArray(next) && Object.keys(next).some((name) => name.startsWith(mark))) renameMembers(next);
    for (const one of Object.values(next)) if (typeof one === 'object' && one !== null) left.push(one);
  }
}

/** All are put in anew, for the order. */
function renameMembers(object: object): void {
  const members = Object.entries(object);
  for (const [name] of members) Reflect.deleteProperty(object, name);
  // An assignment would set the prototype.
  for (const [name, value] of members)
    Object.defineProperty(object, name.startsWith(mark) ? restored(name) : name, {
      value,
      configurable: true,
      enumerable: true,
      writable: true,
    });
}
