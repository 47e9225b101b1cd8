/** With so many significant digits programs print every double (IEEE 754), also where fewer would do. */
export const printedDigits = 17;

/** Number.prototype.toPrecision goes no further. */
const mostPrinted = 100;
const longest = 1000;

/**
 * Whether a decimal numeral is kept by the double that it is read as: the double, printed with as many digits, is what was
 * written, or what was written is its shortest form. Numerals of up to `unchecked` significant digits need only not become
 * zero or infinite.
 */
export function isKeptAsNumber(numeral: string, unchecked = 0): boolean {
  if (numeral.length > longest) return false;
  const digits = digitsOf(numeral);
  if (digits === '') return true;
  const number = Number(numeral);
  if (number === 0 || !Number.isFinite(number)) return false;
  if (digits.length <= unchecked || digits === digitsOf(String(number))) return true;
  return digits.length <= mostPrinted && digits === digitsOf(number.toPrecision(digits.length));
}

/** The significant digits, without zeros at either end: none of zero. */
function digitsOf(numeral: string): string {
  const [mantissa = ''] = numeral.toLowerCase().split('e', 1);
  const digits = mantissa.replace(/[-+.]/g, '');
  let start = 0;
  let end = digits.length;
  while (digits[start] === '0') start++;
  while (end > start && digits[end - 1] === '0') end--;
  return digits.slice(start, end);
}
