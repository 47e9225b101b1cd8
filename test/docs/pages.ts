import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** The repository's folder, with a slash at its end. */
export const root = fileURLToPath(new URL('../../', import.meta.url));

/** A page that people read. */
export interface Page {
  /** From the repository's folder. */
  path: string;
  text: string;
}

/** A block between three backticks. */
export interface Fence {
  /** What stands after the opening backticks. */
  language: string;
  text: string;
  /** Of its first line, from 1. */
  line: number;
}

export function page(path: string): Page {
  return { path, text: readFileSync(root + path, 'utf8') };
}

/** Every page: those of the repository's folder, and `docs`. */
export function pages(): Page[] {
  const named = (folder: string) => readdirSync(root + folder).filter((name) => name.endsWith('.md'));
  return [...named('.'), ...named('docs').map((name) => `docs/${name}`), 'src/server/sync/SPEC.md'].map(page);
}

export function fences({ text }: Page): Fence[] {
  const found: Fence[] = [];
  let open: Fence | undefined;
  text.split('\n').forEach((line, index) => {
    if (!line.startsWith('```')) {
      if (open) open.text += `${line}\n`;
    } else if (open) {
      found.push(open);
      open = undefined;
    } else open = { language: line.slice(3).trim(), text: '', line: index + 2 };
  });
  if (open) throw new Error(`The block from line ${open.line} is not closed.`);
  return found;
}

/** What a page says outside of blocks. */
export function prose({ text }: Page): string {
  return text.replace(/^```[\s\S]*?^```$/gm, '');
}

/** What a page says as code: its blocks, and what stands between backticks in a line. */
export function code(from: Page): string[] {
  const spans = [...prose(from).matchAll(/`([^`]+)`/g)].map(([, span = '']) => span.replace(/\s+/g, ' '));
  const lines = fences(from).flatMap((fence) => fence.text.replace(/\\\n\s*/g, '').split('\n'));
  return [...spans, ...lines];
}

/** The places of a page that a link may lead to, named as GitHub names them. */
export function anchors(from: Page): Set<string> {
  const seen = new Map<string, number>();
  const names = new Set<string>();
  for (const [, title = ''] of prose(from).matchAll(/^#+ (.+)$/gm)) {
    const plain = title.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').toLowerCase();
    const slug = plain.replace(/[^\p{L}\p{N}\s_-]/gu, '').replace(/\s/g, '-');
    const before = seen.get(slug) ?? 0;
    seen.set(slug, before + 1);
    names.add(before === 0 ? slug : `${slug}-${before}`);
  }
  return names;
}
