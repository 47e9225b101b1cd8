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
