/** Whether a file begins as a ZIP does: a bag, a crate, or anything else that is packed so. */
export function isZip(start: Uint8Array): boolean {
  return start[0] === 0x50 && start[1] === 0x4b && start[2] === 3 && start[3] === 4;
}

/** The first of a header's members, as CBOR. */
const roots = Buffer.from('\xa2eroots', 'latin1');

/** Whether a file begins as a CAR does: with the length of its header, a byte or two, and that with its roots. */
export function isCar(start: Uint8Array): boolean {
  const from = (start[0] ?? 0) < 0x80 ? 1 : 2;
  return roots.equals(start.subarray(from, from + roots.length));
}

/** Whether a file begins as text does: with records rather than with an archive that is damaged. */
export function isText(start: Uint8Array): boolean {
  return start.length > 0 && !isCar(start) && start.every((byte) => byte >= 0x20 || [9, 10, 13].includes(byte));
}

const workbook = /\.(?:xlsx?|xlsm|xlsb|ods|numbers)$/i;
const compound = Buffer.from([0xd0, 0xcf, 0x11, 0xe0]);

/** Whether a file is one in which a spreadsheet program keeps its tables, and no text under such a name. */
export function isWorkbook(name: string, start: Uint8Array): boolean {
  return workbook.test(name) && (isZip(start) || compound.equals(start.subarray(0, compound.length)));
}
