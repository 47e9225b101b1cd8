import { open, readFile, stat } from 'node:fs/promises';
import { JobError } from '../kit/job-error.ts';
import type { JobFile } from './command-job.ts';

/** The text of a file, with what is known of it beside. */
export interface ExtractedText {
  text: string;
  format: 'pdf' | 'html' | 'text';
  title?: string;
  pages?: number;
}

const maxBytes = { pdf: 256 * 2 ** 20, html: 64 * 2 ** 20, text: 64 * 2 ** 20 };
const headBytes = 1024;

type Named = Pick<JobFile, 'content_type' | 'filename'> & { path: string };

/** The text of a PDF, HTML or plain text file; null for any other. @throws JobError for one that cannot be read */
export async function textOf(file: Named): Promise<ExtractedText | null> {
  const format = formatOf(await headOf(file.path), file);
  if (format === null) return null;
  const { size } = await stat(file.path);
  if (size > maxBytes[format])
    throw new JobError('INVALID_INPUT', `${shown(file)} is too large: ${size} bytes, at most ${maxBytes[format]}.`);
  const bytes = await readFile(file.path);
  if (format === 'pdf') return pdfText(bytes, file);
  const text = decoded(bytes, file.content_type ?? '');
  return format === 'html' ? htmlText(text, file) : { format, text };
}

async function headOf(path: string): Promise<string> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(headBytes), 0, headBytes, 0);
    return buffer.subarray(0, bytesRead).toString('latin1');
  } finally {
    await file.close();
  }
}

/** What the bytes show comes before what the file says of itself. */
function formatOf(head: string, { content_type, filename }: Named): ExtractedText['format'] | null {
  if (head.includes('%PDF-')) return 'pdf';
  const type = (content_type ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
  const name = filename ?? '';
  if (/^<(?:!doctype html|html|head|body)\b/i.test(afterProlog(head))) return 'html';
  if (type === 'text/html' || type === 'application/xhtml+xml' || /\.x?html?$/i.test(name)) return 'html';
  return type.startsWith('text/') || /\.(?:txt|md)$/i.test(name) ? 'text' : null;
}

async function pdfText(bytes: Uint8Array, file: Named): Promise<ExtractedText> {
  const { extractText, getDocumentProxy, getMeta } = await import('unpdf');
  try {
    const pdf = await getDocumentProxy(new Uint8Array(bytes), { verbosity: 0 });
    const { totalPages, text } = await extractText(pdf, { mergePages: false });
    const title = await getMeta(pdf).then(
      ({ info }) => info.Title,
      () => undefined,
    );
    return {
      text: text.map((page) => page.trim()).join('\n\n'),
      format: 'pdf',
      pages: totalPages,
      ...(typeof title === 'string' && title.trim() !== '' && { title: title.trim() }),
    };
  } catch (error) {
    const locked = error instanceof Error && error.name === 'PasswordException';
    const why = locked ? 'it is locked with a password' : error instanceof Error ? error.message : String(error);
    throw new JobError('INVALID_INPUT', `${shown(file)} is no PDF that can be read: ${why}.`);
  }
}

async function htmlText(html: string, file: Named): Promise<ExtractedText> {
  try {
    return await converted(html);
  } catch (error) {
    const why = error instanceof RangeError ? 'its tags are nested too deeply' : String(error);
    throw new JobError('INVALID_INPUT', `${shown(file)} is no HTML that can be read: ${why}.`);
  }
}

async function converted(html: string): Promise<ExtractedText> {
  const { convert } = await import('html-to-text');
  const text = convert(html, {
    wordwrap: false,
    limits: { maxInputLength: maxBytes.html, maxDepth: 500 },
    selectors: [
      { selector: 'a', options: { ignoreHref: true } },
      { selector: 'img', format: 'skip' },
      { selector: 'h1', options: { uppercase: false } },
      { selector: 'h2', options: { uppercase: false } },
      { selector: 'h3', options: { uppercase: false } },
      { selector: 'h4', options: { uppercase: false } },
      { selector: 'h5', options: { uppercase: false } },
      { selector: 'h6', options: { uppercase: false } },
      { selector: 'table', format: 'dataTable', options: { uppercaseHeaderCells: false } },
    ],
  });
  const title = convert(html, { baseElements: { selectors: ['title'], returnDomByDefault: false }, wordwrap: false });
  return { text, format: 'html', ...(title.trim() !== '' && { title: title.trim() }) };
}

/** What follows the XML declaration and the comments that a text may begin with. */
function afterProlog(head: string): string {
  let rest = head.trimStart();
  if (rest.startsWith('<?xml')) rest = after(rest, '>');
  while (rest.startsWith('<!--')) rest = after(rest, '-->');
  return rest;
}

function after(text: string, end: string): string {
  const at = text.indexOf(end);
  return at === -1 ? '' : text.slice(at + end.length).trimStart();
}

/** In the character set that the file names, else UTF-8. */
function decoded(bytes: Uint8Array, contentType: string): string {
  const head = Buffer.from(bytes.subarray(0, headBytes)).toString('latin1');
  const named =
    /charset\s*=\s*["']?([\w.:-]+)/i.exec(contentType) ??
    /<meta\b[^<>]{1,200}?charset\s{0,20}=\s{0,20}["']?([\w.:-]+)/i.exec(head);
  try {
    return new TextDecoder(named?.[1] ?? 'utf-8').decode(bytes);
  } catch {
    return new TextDecoder().decode(bytes);
  }
}

function shown({ filename }: Named): string {
  return filename ?? 'The file';
}
