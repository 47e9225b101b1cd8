import { ItemScanner } from './cbor-items.ts';
import { cidText } from './cid.ts';
import { isTombstone, type Mortal } from './tombstones.ts';

/** What a chain needs of a manifest. `prev` is CID text, null on version 1. */
export interface ManifestHead {
  id: string;
  ver: number;
  prev: string | null;
  /** Whether it says that the entity is deleted. */
  deleted: boolean;
}

const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * Reads these members out of a manifest's block without decoding the rest: a chain of ten thousand versions is walked
 * at the speed of reading it. Throws where the bytes are no map with these members.
 */
export function manifestHead(bytes: Uint8Array): ManifestHead {
  const scanner = new ItemScanner(bytes);
  if (scanner.head() !== 5) throw new RangeError('it is not a map');
  let id: string | undefined;
  let ver: number | undefined;
  let prev: string | null = null;
  const mortal: Mortal = {};
  for (let left = scanner.argument; left > 0; left--) {
    if (scanner.head() !== 3) throw new RangeError('it has a member whose name is not text');
    const name = text.decode(scanner.content());
    if (name === 'id') id = readText(scanner);
    else if (name === 'ver') ver = readVersion(scanner);
    else if (name === 'prev') prev = readLink(scanner);
    else if (name === 'deleted') mortal.deleted = readsTrue(scanner);
    else if (name === 'schema') mortal.schema = readsText(scanner);
    else {
      if (name === 'properties' || name === 'relationships') mortal[name] = true;
      scanner.skip();
    }
  }
  if (scanner.position !== bytes.length) throw new RangeError('it has bytes after its end');
  if (id === undefined || ver === undefined) throw new RangeError('it has no id or no ver');
  return { id, ver, prev, deleted: isTombstone(mortal) };
}

function readText(scanner: ItemScanner): string {
  if (scanner.head() !== 3) throw new RangeError('its id is not text');
  return text.decode(scanner.content());
}

function readVersion(scanner: ItemScanner): number {
  if (scanner.head() !== 0 || !Number.isSafeInteger(scanner.argument)) throw new RangeError('its ver is not a number');
  return scanner.argument;
}

function readsTrue(scanner: ItemScanner): boolean {
  const at = scanner.position;
  if (scanner.head() === 7 && scanner.argument === 21 && scanner.position === at + 1) return true;
  scanner.position = at;
  scanner.skip();
  return false;
}

/** Undefined for what is no text, which is nobody's business here. */
function readsText(scanner: ItemScanner): string | undefined {
  const at = scanner.position;
  if (scanner.head() === 3) return text.decode(scanner.content());
  scanner.position = at;
  scanner.skip();
  return undefined;
}

function readLink(scanner: ItemScanner): string | null {
  const major = scanner.head();
  if (major === 7 && scanner.argument === 22) return null;
  if (major !== 6 || scanner.argument !== 42 || scanner.head() !== 2)
    throw new RangeError('its prev is neither null nor a link');
  const bytes = scanner.content();
  if (bytes[0] !== 0) throw new RangeError('its prev is no CID');
  return cidText(bytes.subarray(1));
}
