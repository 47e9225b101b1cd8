/** Lines with the cells under their heads. */
export function table(heads: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const all = [heads, ...rows.map((row) => row.map(printable))];
  const widths = heads.map((_, i) => Math.max(...all.map((row) => [...(row[i] ?? '')].length)));
  return all.map((row) =>
    row
      .map((cell, i) => cell + ' '.repeat((widths[i] ?? 0) - [...cell].length))
      .join('  ')
      .trimEnd(),
  );
}

const commands = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/** What a terminal would take for commands is left out. */
export function printable(text: string): string {
  return text.replaceAll(commands, ' ');
}

/** The same is there to be read, as JSON may write it in its texts: a JSON document of one line says what it said. */
export function escaped(text: string): string {
  const unit = (sign: string) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return text.replaceAll(commands, (sign) => sign.split('').map(unit).join(''));
}
