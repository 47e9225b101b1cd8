import type { TipList } from '../../store/archive/tip-list.ts';
import type { NetworkStore } from '../../store/network-store.ts';
import { type Digest, digested } from './digests.ts';
import type { PackageAbout } from './package-about.ts';
import { contentsOf, historyOf, recordsOf } from './payload.ts';
import { textChunks } from './text-chunks.ts';
import type { PackedFile } from './zip-stream.ts';

const bagDeclaration = 'BagIt-Version: 1.0\nTag-File-Character-Encoding: UTF-8\n';
export const payloadManifest = 'manifest-sha256.txt';

/**
 * A bag (RFC 8493): every version as an archive, the newest records as lines, and the files as such, each with its
 * SHA-256. The manifests come last, when all is hashed.
 */
export async function* bagOf(
  store: NetworkStore,
  list: TipList,
  about: PackageAbout,
): AsyncGenerator<PackedFile, void, undefined> {
  const tags: { path: string; digest: Digest }[] = [];
  const payload: { path: string; digest: Digest }[] = [];
  const tag = (path: string, parts: Iterable<string>): PackedFile => ({
    path: `${about.name}/${path}`,
    chunks: digested(textChunks(parts), (digest) => void tags.push({ path, digest })),
    compress: true,
  });
  const data = (file: PackedFile): PackedFile => ({
    ...file,
    path: `${about.name}/data/${file.path}`,
    chunks: digested(file.chunks, (digest) => void payload.push({ path: `data/${file.path}`, digest })),
  });
  yield tag('bagit.txt', [bagDeclaration]);
  yield data(historyOf(store, list));
  yield data(recordsOf(store, list));
  for await (const file of contentsOf(store, list)) yield data(file);
  yield tag('bag-info.txt', [bagInfo(about, payload, list.length)]);
  yield tag(payloadManifest, manifestOf(payload));
  const last = { path: `${about.name}/tagmanifest-sha256.txt`, compress: true };
  yield { ...last, chunks: textChunks(manifestOf([...tags])) };
}

function* manifestOf(files: { path: string; digest: Digest }[]): Generator<string> {
  for (const { path, digest } of files) yield `${digest.sha256}  ${path}\n`;
}

/** RFC 8493, 2.2.2. */
function bagInfo(about: PackageAbout, payload: { digest: Digest }[], entities: number): string {
  const bytes = payload.reduce((sum, { digest }) => sum + digest.bytes, 0);
  const lines: [string, string | null][] = [
    ['External-Identifier', about.id],
    ['External-Description', about.description],
    ['Internal-Sender-Description', about.title],
    ['Internal-Sender-Identifier', `${entities} entities`],
    ['Bagging-Date', about.time.slice(0, 10)],
    ['Bag-Software-Agent', about.software],
    ['Payload-Oxum', `${bytes}.${payload.length}`],
  ];
  return lines.flatMap(([name, value]) => (value === null ? [] : [`${name}: ${oneLine(value)}\n`])).join('');
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}
