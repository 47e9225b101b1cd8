/** What bytes of no known type are. */
export const anyBytes = 'application/octet-stream';

const mediaType = /^[\w!#$%&'*+.^`|~-]+\/[\w!#$%&'*+.^`|~-]+(?:[ \t]*;[\x20-\x7e]*)?$/;
const longest = 255;

/** A stored type as a Content-Type header may carry it; text that is no media type is taken for any bytes. */
export function servedType(type: unknown): string {
  return typeof type === 'string' && type.length <= longest && mediaType.test(type) ? type : anyBytes;
}

/** Whether a Content-Type header can carry a text as it is. */
export function isCarried(type: string): boolean {
  return /^[\t\x20-\x7e\x80-\xff]*$/.test(type);
}

/** Whether bytes that are said to be of type `said` may come as what was declared. As a type that no header carries any may. */
export function isAsDeclared(said: string, declared: string): boolean {
  return sameType(said, declared) || !isCarried(declared);
}

/** Whether two texts name the same type: case and the spaces around its parameters do not count. */
function sameType(a: string, b: string): boolean {
  return plain(a) === plain(b);
}

function plain(type: string): string {
  const parts = type
    .toLowerCase()
    .split(';')
    .map((part) =>
      part
        .split('=')
        .map((one) => one.trim())
        .join('='),
    );
  return parts.slice(0, parts.findLastIndex((part) => part !== '') + 1).join(';');
}
