/** The end of a name, of at most so many units, and of no half of a sign: that could not be sent. */
export function nameEnd(name: string, most: number): string {
  return name.slice(-most).replace(/^[\uDC00-\uDFFF]/, '');
}

/** The beginning of a name, likewise. */
export function nameBeginning(name: string, most: number): string {
  return name.slice(0, most).replace(/[\uD800-\uDBFF]$/, '');
}
