import { counted } from './counted.ts';

/** What is said of a copy that lacks bytes which its versions name. */
export function missingLine(files: number): string {
  return `${counted(files, 'file')} that versions name ${files === 1 ? 'is' : 'are'} not on this node, and so not in it: "archeion verify" says which.`;
}
