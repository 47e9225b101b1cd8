import { create as contentDisposition } from 'content-disposition';
import type { HeldContent } from '../../model/content-entries.ts';
import { servedType } from '../../model/media-type.ts';

const longestName = 255;

/**
 * The headers of kept bytes. They are named by their CID, so an answer to a request that names it never changes.
 * `Content-Disposition` always saves: what is stored is not shown as a page of this node.
 */
export function downloadHeaders({ cid, type, filename }: HeldContent, byCid: boolean): Record<string, string> {
  return {
    ETag: `"${cid}"`,
    'Content-Type': servedType(type),
    'Content-Disposition': contentDisposition(safeName(filename ?? '')),
    'Cache-Control': byCid ? 'private, max-age=31536000, immutable' : 'private, no-cache',
  };
}

/** A stored name as a name to save under: its last part, without control characters but those that join letters or part them. */
function safeName(name: string): string {
  const last = name.split(/[/\\]/).at(-1) ?? '';
  const plain = last.toWellFormed().replaceAll(/(?![\u200c\u200d])[\p{Cc}\p{Cf}]/gu, '');
  // Cut between characters, not within one.
  const short = [...plain].slice(0, longestName).join('').trim();
  return /^[.\u200c\u200d]*$/.test(short) ? 'content' : short;
}
