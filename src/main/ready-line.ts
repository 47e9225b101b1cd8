/** The address in a line such as `{"ready":{"url":"http://127.0.0.1:4747"}}`; null for any other line. */
export function readyUrl(line: string): string | null {
  try {
    const url: unknown = JSON.parse(line)?.ready?.url;
    return typeof url === 'string' && URL.canParse(url) ? url : null;
  } catch {
    return null;
  }
}
