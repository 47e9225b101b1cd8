import { counted } from './counted.ts';

/** What is said of a copy that lacks bytes which its versions name. */
export function missingLine(files: number): string {
  return `${counted(files, 'file')} that versions name ${files === 1 ? 'is' : 'are'} not on this node, and so not in it: "archeion verify" says which.`;
}

/** What is said of an export that lacks versions which are in no history. */
export function leftOutLine(versions: number): string {
  return `${counted(versions, 'version')} on this node ${versions === 1 ? 'is' : 'are'} in no history, and so not in it: others' in open conflicts ("archeion conflicts" lists them), what a decision has left beside, or what was here before a service that is no node made its own of it. A backup has all.`;
}
