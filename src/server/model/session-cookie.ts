/**
 * The cookie of the node's page. Browsers send one host's cookies to all its ports, so its name tells the nodes of one
 * machine apart.
 */
export function sessionCookieName(instance: string): string {
  return `archeion_${instance.replaceAll('-', '').slice(0, 12)}`;
}

/** The value of the cookie `name` in a Cookie header, or null where it is not sent. */
export function readCookie(header: string | undefined, name: string): string | null {
  if (header === undefined) return null;
  for (const pair of header.split(';')) {
    const at = pair.indexOf('=');
    if (at !== -1 && pair.slice(0, at).trim() === name) return pair.slice(at + 1).trim();
  }
  return null;
}

/** A Set-Cookie header. It has no date: browsers forget it when they end. `secure`: the page came over TLS. */
export function writeCookie(name: string, value: string, secure: boolean): string {
  return `${name}=${value}; Path=/; HttpOnly; SameSite=Strict${secure ? '; Secure' : ''}`;
}

/** A Set-Cookie header that removes the cookie. */
export function clearCookie(name: string, secure: boolean): string {
  return `${writeCookie(name, '', secure)}; Max-Age=0`;
}
