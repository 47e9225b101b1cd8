/** Puts a text into the clipboard, and says whether it is there: a page of another host has none where it came by plain http. */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}
